
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
            cand --format 'Format of findings'
            cand --validate 'Check the files and report every finding'
            cand --no-host-checks 'Leave out what depends on this machine, such as a writable `data_dir`'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand catalog 'Show all protections, or one name at any level'
            cand rules 'Show the detection rules with what they catch and what they allow'
            cand check-request 'Run a recorded request through the engine and explain the verdict. The exit status is 1 when it is refused'
            cand schema 'Print the JSON Schema (draft-07) of the configuration'
            cand plan 'Show the compiled plan and its digest'
            cand effective 'Show what holds on a route, and the line that decided each value'
            cand reference 'Print a reference page'
        }
        &'waf-compile;catalog'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;rules'= {
            cand --leaf 'Only those of a leaf, a bucket or a family'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;check-request'= {
            cand --config 'The configuration'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;schema'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;plan'= {
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;effective'= {
            cand --route 'Id of the route'
            cand -h 'Print help'
            cand --help 'Print help'
        }
        &'waf-compile;reference'= {
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
        }
    ]
    $completions[$command]
}
