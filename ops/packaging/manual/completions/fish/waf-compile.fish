# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_waf_compile_global_optspecs
    string join \n validate format= no-host-checks h/help V/version
end

function __fish_waf_compile_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_waf_compile_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_waf_compile_using_subcommand
    set -l cmd (__fish_waf_compile_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c waf-compile -n "__fish_waf_compile_needs_command" -l format -d 'Format of findings' -r -f -a "text\t'A line for each'
json\t'One document'
sarif\t'SARIF 2.1.0'"
complete -c waf-compile -n "__fish_waf_compile_needs_command" -l validate -d 'Check the files and report every finding'
complete -c waf-compile -n "__fish_waf_compile_needs_command" -l no-host-checks -d 'Leave out what depends on this machine, such as a writable `data_dir`'
complete -c waf-compile -n "__fish_waf_compile_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c waf-compile -n "__fish_waf_compile_needs_command" -s V -l version -d 'Print version'
complete -c waf-compile -n "__fish_waf_compile_needs_command" -a "catalog" -d 'Show all protections, or one name at any level'
complete -c waf-compile -n "__fish_waf_compile_needs_command" -a "rules" -d 'Show the detection rules with what they catch and what they allow'
complete -c waf-compile -n "__fish_waf_compile_needs_command" -a "check-request" -d 'Run a recorded request through the engine and explain the verdict. The exit status is 1 when it is refused'
complete -c waf-compile -n "__fish_waf_compile_needs_command" -a "schema" -d 'Print the JSON Schema (draft-07) of the configuration'
complete -c waf-compile -n "__fish_waf_compile_needs_command" -a "plan" -d 'Show the compiled plan and its digest'
complete -c waf-compile -n "__fish_waf_compile_needs_command" -a "effective" -d 'Show what holds on a route, and the line that decided each value'
complete -c waf-compile -n "__fish_waf_compile_needs_command" -a "reference" -d 'Print a reference page'
complete -c waf-compile -n "__fish_waf_compile_using_subcommand catalog" -s h -l help -d 'Print help'
complete -c waf-compile -n "__fish_waf_compile_using_subcommand rules" -l leaf -d 'Only those of a leaf, a bucket or a family' -r
complete -c waf-compile -n "__fish_waf_compile_using_subcommand rules" -s h -l help -d 'Print help'
complete -c waf-compile -n "__fish_waf_compile_using_subcommand check-request" -l config -d 'The configuration' -r -F
complete -c waf-compile -n "__fish_waf_compile_using_subcommand check-request" -s h -l help -d 'Print help'
complete -c waf-compile -n "__fish_waf_compile_using_subcommand schema" -s h -l help -d 'Print help'
complete -c waf-compile -n "__fish_waf_compile_using_subcommand plan" -s h -l help -d 'Print help'
complete -c waf-compile -n "__fish_waf_compile_using_subcommand effective" -l route -d 'Id of the route' -r
complete -c waf-compile -n "__fish_waf_compile_using_subcommand effective" -s h -l help -d 'Print help'
complete -c waf-compile -n "__fish_waf_compile_using_subcommand reference" -s h -l help -d 'Print help (see more with \'--help\')'
