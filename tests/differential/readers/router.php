<?php
// How an application in PHP reads a request: every superglobal, the raw body as JSON and as a form. Served by `php -S`; the
// answer is a list of fields as in frames.py.
$out = '';
$add = function ($place, $name, $value) use (&$out) {
    $out .= $place . pack('N', strlen($name)) . $name . pack('N', strlen($value)) . $value;
};
$walk = function ($place, $name, $value, $depth = 0) use (&$walk, $add) {
    if (is_array($value) && $depth < 64) {
        foreach ($value as $key => $below) {
            $add('n', '', (string)$key);
            $walk($place, $name, $below, $depth + 1);
        }
    } elseif (is_string($value)) {
        $add($place, $name, $value);
    }
};
error_reporting(0);
$add('P', '', rawurldecode(explode('?', $_SERVER['REQUEST_URI'])[0]));
$walk('q', '', $_GET);
$walk('c', '', $_COOKIE);
$walk('f', '', $_POST);
foreach (getallheaders() as $name => $value) {
    $add('h', (string)$name, (string)$value);
}
foreach ($_FILES as $name => $file) {
    $add('n', '', (string)$name);
    foreach (['name', 'full_path', 'type'] as $key) {
        $walk($key === 'type' ? 'p' : 'F', (string)$name, $file[$key] ?? '');
    }
}
$body = file_get_contents('php://input');
if ($body !== '') {
    if (strtolower($_SERVER['HTTP_CONTENT_ENCODING'] ?? '') === 'gzip') {
        $body = gzdecode($body, 1 << 20) ?: '';
    }
    $walk('j', '', json_decode($body, true));
    if (preg_match('~^application/x-www-form-urlencoded\s*(;|$)~i', $_SERVER['CONTENT_TYPE'] ?? '')) {
        parse_str($body, $found);
        $walk('f', '', $found);
    }
}
header('Content-Type: application/octet-stream');
echo $out;
