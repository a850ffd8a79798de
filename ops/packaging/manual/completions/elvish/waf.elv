
use builtin;
use str;

set edit:completion:arg-completer[waf] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'waf'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'waf'= {
            cand -c 'Configuration file'
            cand --config 'Configuration file'
            cand -t 'Check the configuration (FILE, else the one of --config), print what is wrong with it, and exit'
            cand --validate 'Check the configuration (FILE, else the one of --config), print what is wrong with it, and exit'
            cand --policy-tests 'Policy tests that a configuration has to pass before it is applied; may be given more than once'
            cand --https-port 'Port for HTTPS in modes 1 and 2; clients still come by 443'
            cand --http-port 'Port for redirects and challenges in modes 1 and 2; clients still come by 80'
            cand --acme-directory 'Directory URL of the certificate authority; using one means to agree to its terms'
            cand --acme-contact 'Contacts of the account there, e-mail addresses mostly'
            cand --acme-eab-kid 'Key identifier for authorities that ask for an external account binding'
            cand --acme-eab-key 'Its MAC key in base64url; better given by the variable'
            cand --acme-root 'Trust this root in PEM, and no other, when talking to the authority'
            cand --acme-challenges 'Challenges that may be used, tried in turn [default: http-01,tls-alpn-01; with --acme-dns-hook dns-01]'
            cand --acme-dns-hook 'Program that adds records for dns-01 to your zone and removes them; with it wildcards are ordered'
            cand --shadow 'Configuration that judges a share of the requests beside the one in force; no answer depends on it'
            cand --shadow-share 'Share of the requests that a second plan judges, such as `0.1` or `10%`'
            cand --shadow-log 'Destination of a line of JSON for each request that both plans decide differently: `stderr`, a file, or `none`'
            cand --reload-gate 'Time for which each reload judges requests before it is applied, such as `30s` or `5m` [default: no gate]'
            cand --reload-gate-share 'Share of the requests that pass now of which a reload may refuse at most so many, such as `0.001` or `0.1%`'
            cand --record 'Folder for recordings of requests that `waf-compile replay` reads; secrets in them are masked'
            cand --record-share 'Share of the requests that are recorded, such as `0.01` or `1%`'
            cand --record-size 'Size of all recordings together; the oldest ones are deleted'
            cand -w 'Worker processes; each gets its share of the cores as threads'
            cand --workers 'Worker processes; each gets its share of the cores as threads'
            cand --trusted-proxies 'Peers whose forwarding headers are believed'
            cand -l 'Least level of log lines on stderr'
            cand --log-level 'Least level of log lines on stderr'
            cand --drain 'Time that requests in flight get at a stop'
            cand --upgrade-timeout 'Time that the new program gets to become ready at an upgrade'
            cand --rollback 'Replace a plan under which workers die or fail by the one before it, within ten seconds after a reload'
            cand --user 'Who workers become when started as root [default: nobody]'
            cand --worker-memory 'Memory that each worker may take before it turns requests away [default: its share of four fifths of what there is]'
            cand --client-share 'Percent of the connections to an upstream that one client may take [default: 25 where client addresses are known: in modes 1 and 2, or with --trusted-proxies; else 75]'
            cand --access-log 'Destination of the access log, a line of JSON for each request: `stderr`, a file, or `none`'
            cand -W 'With --validate, take warnings for errors in the exit status'
            cand --deny-warnings 'With --validate, take warnings for errors in the exit status'
            cand --no-host-checks 'Leave out checks that depend on this machine'
            cand --proxy-protocol 'Trusted proxies begin each connection with a header of the PROXY protocol, version 1 or 2'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand demo 'Try it: protect a small shop on this machine, without a configuration file'
            cand certificates 'List the certificates of a configuration: host, issuer, expiry, next renewal'
            cand upgrade 'Replace the running service by the program that now lies in its place, without losing a request'
            cand health 'Ask a running service whether it is ready, for the health checks of containers: exit status 0 or 1'
            cand doctor 'Print what this machine lets the service do, and what it lacks: exit status 1 if it could not run'
            cand top 'Look at a running service in the terminal: requests, blocks, latency, plan, workers'
        }
        &'waf;demo'= {
            cand -p 'Port to listen on'
            cand --port 'Port to listen on'
            cand -w 'Worker processes; each gets its share of the cores as threads'
            cand --workers 'Worker processes; each gets its share of the cores as threads'
            cand --trusted-proxies 'Peers whose forwarding headers are believed'
            cand -l 'Least level of log lines on stderr'
            cand --log-level 'Least level of log lines on stderr'
            cand --drain 'Time that requests in flight get at a stop'
            cand --upgrade-timeout 'Time that the new program gets to become ready at an upgrade'
            cand --rollback 'Replace a plan under which workers die or fail by the one before it, within ten seconds after a reload'
            cand --user 'Who workers become when started as root [default: nobody]'
            cand --worker-memory 'Memory that each worker may take before it turns requests away [default: its share of four fifths of what there is]'
            cand --client-share 'Percent of the connections to an upstream that one client may take [default: 25 where client addresses are known: in modes 1 and 2, or with --trusted-proxies; else 75]'
            cand --access-log 'Destination of the access log, a line of JSON for each request: `stderr`, a file, or `none`'
            cand --proxy-protocol 'Trusted proxies begin each connection with a header of the PROXY protocol, version 1 or 2'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'waf;certificates'= {
            cand -c 'Configuration file'
            cand --config 'Configuration file'
            cand --acme-directory 'Directory URL of the certificate authority; using one means to agree to its terms'
            cand --acme-contact 'Contacts of the account there, e-mail addresses mostly'
            cand --acme-eab-kid 'Key identifier for authorities that ask for an external account binding'
            cand --acme-eab-key 'Its MAC key in base64url; better given by the variable'
            cand --acme-root 'Trust this root in PEM, and no other, when talking to the authority'
            cand --acme-challenges 'Challenges that may be used, tried in turn [default: http-01,tls-alpn-01; with --acme-dns-hook dns-01]'
            cand --acme-dns-hook 'Program that adds records for dns-01 to your zone and removes them; with it wildcards are ordered'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'waf;upgrade'= {
            cand --pid 'Process of the running service; needed where there is more than one'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf;health'= {
            cand --url 'URL to ask, in place of the configured health port'
            cand -c 'Configuration file that names the health port'
            cand --config 'Configuration file that names the health port'
            cand --live 'Ask whether it lives, not whether it is ready'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf;doctor'= {
            cand -c 'Configuration file'
            cand --config 'Configuration file'
            cand -t 'Check the configuration (FILE, else the one of --config), print what is wrong with it, and exit'
            cand --validate 'Check the configuration (FILE, else the one of --config), print what is wrong with it, and exit'
            cand --policy-tests 'Policy tests that a configuration has to pass before it is applied; may be given more than once'
            cand --https-port 'Port for HTTPS in modes 1 and 2; clients still come by 443'
            cand --http-port 'Port for redirects and challenges in modes 1 and 2; clients still come by 80'
            cand --acme-directory 'Directory URL of the certificate authority; using one means to agree to its terms'
            cand --acme-contact 'Contacts of the account there, e-mail addresses mostly'
            cand --acme-eab-kid 'Key identifier for authorities that ask for an external account binding'
            cand --acme-eab-key 'Its MAC key in base64url; better given by the variable'
            cand --acme-root 'Trust this root in PEM, and no other, when talking to the authority'
            cand --acme-challenges 'Challenges that may be used, tried in turn [default: http-01,tls-alpn-01; with --acme-dns-hook dns-01]'
            cand --acme-dns-hook 'Program that adds records for dns-01 to your zone and removes them; with it wildcards are ordered'
            cand --shadow 'Configuration that judges a share of the requests beside the one in force; no answer depends on it'
            cand --shadow-share 'Share of the requests that a second plan judges, such as `0.1` or `10%`'
            cand --shadow-log 'Destination of a line of JSON for each request that both plans decide differently: `stderr`, a file, or `none`'
            cand --reload-gate 'Time for which each reload judges requests before it is applied, such as `30s` or `5m` [default: no gate]'
            cand --reload-gate-share 'Share of the requests that pass now of which a reload may refuse at most so many, such as `0.001` or `0.1%`'
            cand --record 'Folder for recordings of requests that `waf-compile replay` reads; secrets in them are masked'
            cand --record-share 'Share of the requests that are recorded, such as `0.01` or `1%`'
            cand --record-size 'Size of all recordings together; the oldest ones are deleted'
            cand -w 'Worker processes; each gets its share of the cores as threads'
            cand --workers 'Worker processes; each gets its share of the cores as threads'
            cand --trusted-proxies 'Peers whose forwarding headers are believed'
            cand -l 'Least level of log lines on stderr'
            cand --log-level 'Least level of log lines on stderr'
            cand --drain 'Time that requests in flight get at a stop'
            cand --upgrade-timeout 'Time that the new program gets to become ready at an upgrade'
            cand --rollback 'Replace a plan under which workers die or fail by the one before it, within ten seconds after a reload'
            cand --user 'Who workers become when started as root [default: nobody]'
            cand --worker-memory 'Memory that each worker may take before it turns requests away [default: its share of four fifths of what there is]'
            cand --client-share 'Percent of the connections to an upstream that one client may take [default: 25 where client addresses are known: in modes 1 and 2, or with --trusted-proxies; else 75]'
            cand --access-log 'Destination of the access log, a line of JSON for each request: `stderr`, a file, or `none`'
            cand -W 'With --validate, take warnings for errors in the exit status'
            cand --deny-warnings 'With --validate, take warnings for errors in the exit status'
            cand --no-host-checks 'Leave out checks that depend on this machine'
            cand --proxy-protocol 'Trusted proxies begin each connection with a header of the PROXY protocol, version 1 or 2'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'waf;top'= {
            cand -u 'Metrics of the service, in place of the port that the configuration names'
            cand --url 'Metrics of the service, in place of the port that the configuration names'
            cand -c 'Configuration file that names the metrics port [default: /etc/waf/waf.yaml where it exists, else port 9091]'
            cand --config 'Configuration file that names the metrics port [default: /etc/waf/waf.yaml where it exists, else port 9091]'
            cand -i 'Time between two looks'
            cand --interval 'Time between two looks'
            cand --once 'Look once, print plain text, and exit; no terminal is needed'
            cand -h 'Print help'
            cand --help 'Print help'
        }
    ]
    $completions[$command]
}
