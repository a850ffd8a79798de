<?php
// Evaluates PHP that a value was pasted into: a JSON array of engine and source a line.
function evaluated(string $code): string
{
    $secret = "tok-90817";
    $name = "Anna";
    $x = null;
    ob_start();
    try {
        eval($code);
        echo is_scalar($x) ? $x : "";
    } catch (Throwable $error) {
    }
    $output = "";
    while (ob_get_level() > 0) {
        $output = ob_get_clean() . $output;
    }
    return substr($output, 0, 20000);
}

while (($line = fgets(STDIN)) !== false) {
    [, $source] = json_decode($line, true);
    $output = evaluated($source);
    fwrite(STDOUT, json_encode($output, JSON_INVALID_UTF8_SUBSTITUTE) . "\n");
}
