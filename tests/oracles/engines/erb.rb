# Renders a template of ERB that a value was pasted into: a JSON array of engine and source a line.
require "erb"
require "json"

answers = $stdout.dup
$stdout.reopen($stderr)
$stdin.each_line do |line|
  begin
    _engine, source = JSON.parse(line)
    name = "Anna"
    price = 5
    config = { "KEY" => "tok-90817" }
    output = ERB.new(source, trim_mode: "-").result(binding)
  rescue Exception
    output = ""
  end
  answers.puts(JSON.generate(output.to_s.scrub[0, 20_000]))
  answers.flush
end
