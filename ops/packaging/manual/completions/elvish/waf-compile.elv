
use builtin;
use str;

set edit:completion:arg-completer[waf-compile] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'waf-compile'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'waf-compile'= {
            cand -f 'Format of findings'
            cand --format 'Format of findings'
            cand -t 'Check the files and report every finding; files without another task are checked too'
            cand --validate 'Check the files and report every finding; files without another task are checked too'
            cand --no-host-checks 'Leave out what depends on this machine, such as a writable `data_dir`'
            cand -W 'Take warnings for errors in the exit status'
            cand --deny-warnings 'Take warnings for errors in the exit status'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand check-request 'Run a recorded request through the checks of its route and explain the outcome. The exit status is 0 when it passes, 1 when it is refused, 2 when there is no answer'
            cand suggest 'Group the findings of audit events, tell likely false alarms from attacks, and print the narrowest exceptions'
            cand import-exclusions 'Translate exclusions of ModSecurity and the Core Rule Set into exceptions, and list those without a counterpart'
            cand test 'Run policy tests: requests with the verdicts that a configuration has to give. The exit status is 1 when one fails'
            cand report 'Make a page of HTML of audit events: over time, protections, routes, sources, likely false alarms, single events'
            cand replay 'Replay recorded traffic: what a configuration refuses of it, and the difference to another one. The exit status is 0 when there is no difference, 1 when there is one, 2 when there is no answer'
            cand schema 'Print the JSON Schema (draft-07) of the configuration'
            cand plan 'Print the compiled plan and its digest as JSON'
            cand diff 'Show what a change means: routes, protections and settings that differ. The exit status is 0 when both files mean the same, 1 when they differ, 2 when one is invalid'
            cand effective 'Show what holds on a route, and the line that decided each value'
            cand reference 'Print a reference page'
            cand catalog 'Show all protections, or one name at any level'
            cand rules 'Show the detection rules with what they catch and what they allow'
        }
        &'waf-compile;check-request'= {
            cand -c 'The configuration'
            cand --config 'The configuration'
            cand --id 'Rebuild the request from the audit event with this request id; the file is one of events then'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;suggest'= {
            cand --config 'The configuration'
            cand --apply 'Write the exceptions into the configuration; comments stay'
            cand --unclear 'Propose exceptions for groups that are neither too'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;import-exclusions'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;test'= {
            cand --config 'The configuration'
            cand --format 'Format of the results'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'waf-compile;report'= {
            cand -o 'The page; `-` is standard output'
            cand --output 'The page; `-` is standard output'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;replay'= {
            cand --config 'The configuration'
            cand --against 'The configuration that it is compared with'
            cand --format 'Format of the report'
            cand --input-format 'Format of the recordings'
            cand --host 'Host of requests whose recording names none [default: the first host of the configuration]'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'waf-compile;schema'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;plan'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;diff'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;effective'= {
            cand -r 'Id of the route'
            cand --route 'Id of the route'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;reference'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
        &'waf-compile;catalog'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;rules'= {
            cand -l 'Only those of a leaf, a bucket or a family'
            cand --leaf 'Only those of a leaf, a bucket or a family'
            cand -h 'Print help'
            cand --help 'Print help'
        }
    ]
    $completions[$command]
}
