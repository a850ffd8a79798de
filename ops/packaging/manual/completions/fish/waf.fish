# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_waf_global_optspecs
    string join \n c/config= t/validate= W/deny-warnings no-host-checks policy-tests= https-port= http-port= acme-directory= acme-contact= acme-eab-kid= acme-eab-key= acme-root= acme-challenges= acme-dns-hook= shadow= shadow-share= shadow-log= reload-gate= reload-gate-share= record= record-share= record-size= w/workers= trusted-proxies= l/log-level= drain= upgrade-timeout= rollback= user= worker-memory= client-share= access-log= proxy-protocol h/help V/version
end

function __fish_waf_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_waf_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_waf_using_subcommand
    set -l cmd (__fish_waf_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c waf -n "__fish_waf_needs_command" -s c -l config -d 'Configuration file' -r -F
complete -c waf -n "__fish_waf_needs_command" -s t -l validate -d 'Check the configuration (FILE, else the one of --config), print what is wrong with it, and exit' -r -F
complete -c waf -n "__fish_waf_needs_command" -l policy-tests -d 'Policy tests that a configuration has to pass before it is applied; may be given more than once' -r -F
complete -c waf -n "__fish_waf_needs_command" -l https-port -d 'Port for HTTPS in modes 1 and 2; clients still come by 443' -r
complete -c waf -n "__fish_waf_needs_command" -l http-port -d 'Port for redirects and challenges in modes 1 and 2; clients still come by 80' -r
complete -c waf -n "__fish_waf_needs_command" -l acme-directory -d 'Directory URL of the certificate authority; using one means to agree to its terms' -r
complete -c waf -n "__fish_waf_needs_command" -l acme-contact -d 'Contacts of the account there, e-mail addresses mostly' -r
complete -c waf -n "__fish_waf_needs_command" -l acme-eab-kid -d 'Key identifier for authorities that ask for an external account binding' -r
complete -c waf -n "__fish_waf_needs_command" -l acme-eab-key -d 'Its MAC key in base64url; better given by the variable' -r
complete -c waf -n "__fish_waf_needs_command" -l acme-root -d 'Trust this root in PEM, and no other, when talking to the authority' -r -F
complete -c waf -n "__fish_waf_needs_command" -l acme-challenges -d 'Challenges that may be used, tried in turn [default: http-01,tls-alpn-01; with --acme-dns-hook dns-01]' -r -f -a "http-01\t'On port 80'
tls-alpn-01\t'On port 443'
dns-01\t'In the zone'"
complete -c waf -n "__fish_waf_needs_command" -l acme-dns-hook -d 'Program that adds records for dns-01 to your zone and removes them; with it wildcards are ordered' -r -F
complete -c waf -n "__fish_waf_needs_command" -l shadow -d 'Configuration that judges a share of the requests beside the one in force; no answer depends on it' -r -F
complete -c waf -n "__fish_waf_needs_command" -l shadow-share -d 'Share of the requests that a second plan judges, such as `0.1` or `10%`' -r
complete -c waf -n "__fish_waf_needs_command" -l shadow-log -d 'Destination of a line of JSON for each request that both plans decide differently: `stderr`, a file, or `none`' -r
complete -c waf -n "__fish_waf_needs_command" -l reload-gate -d 'Time for which each reload judges requests before it is applied, such as `30s` or `5m` [default: no gate]' -r
complete -c waf -n "__fish_waf_needs_command" -l reload-gate-share -d 'Share of the requests that pass now of which a reload may refuse at most so many, such as `0.001` or `0.1%`' -r
complete -c waf -n "__fish_waf_needs_command" -l record -d 'Folder for recordings of requests that `waf-compile replay` reads; secrets in them are masked' -r -F
complete -c waf -n "__fish_waf_needs_command" -l record-share -d 'Share of the requests that are recorded, such as `0.01` or `1%`' -r
complete -c waf -n "__fish_waf_needs_command" -l record-size -d 'Size of all recordings together; the oldest ones are deleted' -r
complete -c waf -n "__fish_waf_needs_command" -s w -l workers -d 'Worker processes; each gets its share of the cores as threads' -r
complete -c waf -n "__fish_waf_needs_command" -l trusted-proxies -d 'Peers whose forwarding headers are believed' -r
complete -c waf -n "__fish_waf_needs_command" -s l -l log-level -d 'Least level of log lines on stderr' -r -f -a "error\t'Faults that need attention'
warn\t'Conditions that may need attention'
info\t'Events of normal operation'
debug\t'Details of them'
trace\t'Every step'"
complete -c waf -n "__fish_waf_needs_command" -l drain -d 'Time that requests in flight get at a stop' -r
complete -c waf -n "__fish_waf_needs_command" -l upgrade-timeout -d 'Time that the new program gets to become ready at an upgrade' -r
complete -c waf -n "__fish_waf_needs_command" -l rollback -d 'Replace a plan under which workers die or fail by the one before it, within ten seconds after a reload' -r
complete -c waf -n "__fish_waf_needs_command" -l user -d 'Who workers become when started as root [default: nobody]' -r
complete -c waf -n "__fish_waf_needs_command" -l worker-memory -d 'Memory that each worker may take before it turns requests away [default: its share of four fifths of what there is]' -r
complete -c waf -n "__fish_waf_needs_command" -l client-share -d 'Percent of the connections to an upstream that one client may take [default: 25 where client addresses are known: in modes 1 and 2, or with --trusted-proxies; else 75]' -r
complete -c waf -n "__fish_waf_needs_command" -l access-log -d 'Destination of the access log, a line of JSON for each request: `stderr`, a file, or `none`' -r
complete -c waf -n "__fish_waf_needs_command" -s W -l deny-warnings -d 'With --validate, take warnings for errors in the exit status'
complete -c waf -n "__fish_waf_needs_command" -l no-host-checks -d 'Leave out checks that depend on this machine'
complete -c waf -n "__fish_waf_needs_command" -l proxy-protocol -d 'Trusted proxies begin each connection with a header of the PROXY protocol, version 1 or 2'
complete -c waf -n "__fish_waf_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c waf -n "__fish_waf_needs_command" -s V -l version -d 'Print version'
complete -c waf -n "__fish_waf_needs_command" -f -a "demo" -d 'Try it: protect a small shop on this machine, without a configuration file'
complete -c waf -n "__fish_waf_needs_command" -f -a "certificates" -d 'List the certificates of a configuration: host, issuer, expiry, next renewal'
complete -c waf -n "__fish_waf_needs_command" -f -a "upgrade" -d 'Replace the running service by the program that now lies in its place, without losing a request'
complete -c waf -n "__fish_waf_needs_command" -f -a "health" -d 'Ask a running service whether it is ready, for the health checks of containers: exit status 0 or 1'
complete -c waf -n "__fish_waf_needs_command" -f -a "doctor" -d 'Print what this machine lets the service do, and what it lacks: exit status 1 if it could not run'
complete -c waf -n "__fish_waf_needs_command" -f -a "top" -d 'Look at a running service in the terminal: requests, blocks, latency, plan, workers'
complete -c waf -n "__fish_waf_using_subcommand demo" -s p -l port -d 'Port to listen on' -r
complete -c waf -n "__fish_waf_using_subcommand demo" -s w -l workers -d 'Worker processes; each gets its share of the cores as threads' -r
complete -c waf -n "__fish_waf_using_subcommand demo" -l trusted-proxies -d 'Peers whose forwarding headers are believed' -r
complete -c waf -n "__fish_waf_using_subcommand demo" -s l -l log-level -d 'Least level of log lines on stderr' -r -f -a "error\t'Faults that need attention'
warn\t'Conditions that may need attention'
info\t'Events of normal operation'
debug\t'Details of them'
trace\t'Every step'"
complete -c waf -n "__fish_waf_using_subcommand demo" -l drain -d 'Time that requests in flight get at a stop' -r
complete -c waf -n "__fish_waf_using_subcommand demo" -l upgrade-timeout -d 'Time that the new program gets to become ready at an upgrade' -r
complete -c waf -n "__fish_waf_using_subcommand demo" -l rollback -d 'Replace a plan under which workers die or fail by the one before it, within ten seconds after a reload' -r
complete -c waf -n "__fish_waf_using_subcommand demo" -l user -d 'Who workers become when started as root [default: nobody]' -r
complete -c waf -n "__fish_waf_using_subcommand demo" -l worker-memory -d 'Memory that each worker may take before it turns requests away [default: its share of four fifths of what there is]' -r
complete -c waf -n "__fish_waf_using_subcommand demo" -l client-share -d 'Percent of the connections to an upstream that one client may take [default: 25 where client addresses are known: in modes 1 and 2, or with --trusted-proxies; else 75]' -r
complete -c waf -n "__fish_waf_using_subcommand demo" -l access-log -d 'Destination of the access log, a line of JSON for each request: `stderr`, a file, or `none`' -r
complete -c waf -n "__fish_waf_using_subcommand demo" -l proxy-protocol -d 'Trusted proxies begin each connection with a header of the PROXY protocol, version 1 or 2'
complete -c waf -n "__fish_waf_using_subcommand demo" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c waf -n "__fish_waf_using_subcommand certificates" -s c -l config -d 'Configuration file' -r -F
complete -c waf -n "__fish_waf_using_subcommand certificates" -l acme-directory -d 'Directory URL of the certificate authority; using one means to agree to its terms' -r
complete -c waf -n "__fish_waf_using_subcommand certificates" -l acme-contact -d 'Contacts of the account there, e-mail addresses mostly' -r
complete -c waf -n "__fish_waf_using_subcommand certificates" -l acme-eab-kid -d 'Key identifier for authorities that ask for an external account binding' -r
complete -c waf -n "__fish_waf_using_subcommand certificates" -l acme-eab-key -d 'Its MAC key in base64url; better given by the variable' -r
complete -c waf -n "__fish_waf_using_subcommand certificates" -l acme-root -d 'Trust this root in PEM, and no other, when talking to the authority' -r -F
complete -c waf -n "__fish_waf_using_subcommand certificates" -l acme-challenges -d 'Challenges that may be used, tried in turn [default: http-01,tls-alpn-01; with --acme-dns-hook dns-01]' -r -f -a "http-01\t'On port 80'
tls-alpn-01\t'On port 443'
dns-01\t'In the zone'"
complete -c waf -n "__fish_waf_using_subcommand certificates" -l acme-dns-hook -d 'Program that adds records for dns-01 to your zone and removes them; with it wildcards are ordered' -r -F
complete -c waf -n "__fish_waf_using_subcommand certificates" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c waf -n "__fish_waf_using_subcommand upgrade" -l pid -d 'Process of the running service; needed where there is more than one' -r
complete -c waf -n "__fish_waf_using_subcommand upgrade" -s h -l help -d 'Print help'
complete -c waf -n "__fish_waf_using_subcommand health" -l url -d 'URL to ask, in place of the configured health port' -r
complete -c waf -n "__fish_waf_using_subcommand health" -s c -l config -d 'Configuration file that names the health port' -r -F
complete -c waf -n "__fish_waf_using_subcommand health" -l live -d 'Ask whether it lives, not whether it is ready'
complete -c waf -n "__fish_waf_using_subcommand health" -s h -l help -d 'Print help'
complete -c waf -n "__fish_waf_using_subcommand doctor" -s c -l config -d 'Configuration file' -r -F
complete -c waf -n "__fish_waf_using_subcommand doctor" -s t -l validate -d 'Check the configuration (FILE, else the one of --config), print what is wrong with it, and exit' -r -F
complete -c waf -n "__fish_waf_using_subcommand doctor" -l policy-tests -d 'Policy tests that a configuration has to pass before it is applied; may be given more than once' -r -F
complete -c waf -n "__fish_waf_using_subcommand doctor" -l https-port -d 'Port for HTTPS in modes 1 and 2; clients still come by 443' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l http-port -d 'Port for redirects and challenges in modes 1 and 2; clients still come by 80' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l acme-directory -d 'Directory URL of the certificate authority; using one means to agree to its terms' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l acme-contact -d 'Contacts of the account there, e-mail addresses mostly' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l acme-eab-kid -d 'Key identifier for authorities that ask for an external account binding' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l acme-eab-key -d 'Its MAC key in base64url; better given by the variable' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l acme-root -d 'Trust this root in PEM, and no other, when talking to the authority' -r -F
complete -c waf -n "__fish_waf_using_subcommand doctor" -l acme-challenges -d 'Challenges that may be used, tried in turn [default: http-01,tls-alpn-01; with --acme-dns-hook dns-01]' -r -f -a "http-01\t'On port 80'
tls-alpn-01\t'On port 443'
dns-01\t'In the zone'"
complete -c waf -n "__fish_waf_using_subcommand doctor" -l acme-dns-hook -d 'Program that adds records for dns-01 to your zone and removes them; with it wildcards are ordered' -r -F
complete -c waf -n "__fish_waf_using_subcommand doctor" -l shadow -d 'Configuration that judges a share of the requests beside the one in force; no answer depends on it' -r -F
complete -c waf -n "__fish_waf_using_subcommand doctor" -l shadow-share -d 'Share of the requests that a second plan judges, such as `0.1` or `10%`' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l shadow-log -d 'Destination of a line of JSON for each request that both plans decide differently: `stderr`, a file, or `none`' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l reload-gate -d 'Time for which each reload judges requests before it is applied, such as `30s` or `5m` [default: no gate]' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l reload-gate-share -d 'Share of the requests that pass now of which a reload may refuse at most so many, such as `0.001` or `0.1%`' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l record -d 'Folder for recordings of requests that `waf-compile replay` reads; secrets in them are masked' -r -F
complete -c waf -n "__fish_waf_using_subcommand doctor" -l record-share -d 'Share of the requests that are recorded, such as `0.01` or `1%`' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l record-size -d 'Size of all recordings together; the oldest ones are deleted' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -s w -l workers -d 'Worker processes; each gets its share of the cores as threads' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l trusted-proxies -d 'Peers whose forwarding headers are believed' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -s l -l log-level -d 'Least level of log lines on stderr' -r -f -a "error\t'Faults that need attention'
warn\t'Conditions that may need attention'
info\t'Events of normal operation'
debug\t'Details of them'
trace\t'Every step'"
complete -c waf -n "__fish_waf_using_subcommand doctor" -l drain -d 'Time that requests in flight get at a stop' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l upgrade-timeout -d 'Time that the new program gets to become ready at an upgrade' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l rollback -d 'Replace a plan under which workers die or fail by the one before it, within ten seconds after a reload' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l user -d 'Who workers become when started as root [default: nobody]' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l worker-memory -d 'Memory that each worker may take before it turns requests away [default: its share of four fifths of what there is]' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l client-share -d 'Percent of the connections to an upstream that one client may take [default: 25 where client addresses are known: in modes 1 and 2, or with --trusted-proxies; else 75]' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -l access-log -d 'Destination of the access log, a line of JSON for each request: `stderr`, a file, or `none`' -r
complete -c waf -n "__fish_waf_using_subcommand doctor" -s W -l deny-warnings -d 'With --validate, take warnings for errors in the exit status'
complete -c waf -n "__fish_waf_using_subcommand doctor" -l no-host-checks -d 'Leave out checks that depend on this machine'
complete -c waf -n "__fish_waf_using_subcommand doctor" -l proxy-protocol -d 'Trusted proxies begin each connection with a header of the PROXY protocol, version 1 or 2'
complete -c waf -n "__fish_waf_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c waf -n "__fish_waf_using_subcommand top" -s u -l url -d 'Metrics of the service, in place of the port that the configuration names' -r
complete -c waf -n "__fish_waf_using_subcommand top" -s c -l config -d 'Configuration file that names the metrics port [default: /etc/waf/waf.yaml where it exists, else port 9091]' -r -F
complete -c waf -n "__fish_waf_using_subcommand top" -s i -l interval -d 'Time between two looks' -r
complete -c waf -n "__fish_waf_using_subcommand top" -l once -d 'Look once, print plain text, and exit; no terminal is needed'
complete -c waf -n "__fish_waf_using_subcommand top" -s h -l help -d 'Print help'
