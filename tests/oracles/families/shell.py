"""Commands, executed by dash and bash in a folder of their own."""

import os
import shutil
import signal
import subprocess
import tempfile

from sandbox import limits

NAME = "shell"
# Of the refused values one in so many is executed: starting programs is slow.
SAMPLED = 8

# Name, shell, text before the value, text behind it, quote.
TEMPLATES = (
    ("bare", "sh", "echo ", "", ""),
    ("bare-bash", "bash", "echo ", "", ""),
    ("double", "sh", 'echo "', '"', '"'),
    ("single", "sh", "echo '", "'", "'"),
    ("option", "sh", "ls -d -- ", " 2>/dev/null", ""),
    ("double-bash", "bash", 'echo "', '" | cat', '"'),
    ("single-bash", "bash", "echo '", "' >/dev/null; true", "'"),
    ("pipe", "sh", "cat note | grep -c ", "", ""),
)
SECRET, KEY = "tok-77120", "key-31337"
SECONDS_MAX, OUTPUT_MAX = 2, 20_000


def gap(c):
    return c.of((" ", " ", "\t", "${IFS}", "$IFS", "  ", "${IFS%??}", "$IFS$9", " $1", "\\\n ", "${IFS:0:1}"))


def broken(c, word):
    """A command word in one of the forms that the shell puts together again."""
    middle = max(1, len(word) // 2)
    head, tail = word[:middle], word[middle:]
    forms = (
        word, word, word, f"{head}''{tail}", f'{head}""{tail}', f"{head}\\{tail}", f"'{word}'", f'"{head}"{tail}', f"{head}$@{tail}",
        f"{head}${{x}}{tail}", f"/bin/{word}", f"/usr/bin/{word}", f"/bin/{head}?{tail[1:]}", f"/b*/{word}", f"/???/{word}",
        f"$(echo {word})", f"`printf {word}`", f"${{x:-{word}}}", f"{head}\\\n{tail}", f"\\{word}", f"/bin/[{word[0]}]{word[1:]}",
        f"$(printf %s {head} {tail})", f"{head}$(){tail}", f"{head}``{tail}", f"command {word}", f"env {word}", f"exec {word}",
        f"nice {word}", f"timeout 1 {word}", f"/bin/../bin/{word}", f"/bin//{word}", f"{head}$*{tail}", f"{head}$!{tail}",
    )  # fmt: skip
    return c.of(forms)


def path(c):
    return c.of((
        "private/token", "./private/token", "private/t*", "p*/t*", "/etc/passwd", "private/tok?n", "$PWD/private/token",
        "private//token", "pri''vate/token", "/e?c/passwd", "/etc/pass*", "/et[c]/passwd", "/proc/self/environ", "config.php",
        "*.php", "/etc/./passwd", "~+/private/token", "private/{token,x}", "/???/passwd", "c*.php", "config.p?p",
    ))  # fmt: skip


READERS = (
    "cat", "head", "tail", "tac", "nl", "sort", "uniq", "rev", "cut -c1-", "od -c", "base64", "xxd", "strings", "paste", "fold",
    "grep .", "sed ''", "awk 1", "dd if=/dev/stdin", "tr a a", "diff /dev/null", "cp /dev/stdin made", "expand", "fmt", "pr", "comm x",
    "more", "wc", "md5sum", "sum", "shuf", "tee made", "hexdump -C", "column", "perl -pe1", "split -b9",
)  # fmt: skip


def reading(c):
    words = c.of(READERS).split(" ", 1)
    command = broken(c, words[0])
    if len(words) > 1:
        command += gap(c) + words[1]
    if c.rarely(4):
        return command + c.of(("<", " < ", " 0<", "< ")) + path(c)
    return command + gap(c) + path(c)


def plain(c):
    words = c.of(("id", "uname -a", "whoami", "env", "ls private", "touch made", "pwd", "ps", "hostname", "set", "printenv")).split(" ")
    return gap(c).join([broken(c, words[0]), *words[1:]])


def writing(c):
    return c.of(("echo x", "printf x", ":", "id", "", "exec", "true")) + c.of((">made", "> made", ">>made", ">|made", " 1>made", ">m''ade"))


def program(c):
    return c.of((
        "python3 -c 'open(\"made\",\"w\")'", "perl -e 'open F,\">made\"'", "sh -c id", "bash -c 'id'", "eval id", "awk 'BEGIN{system(\"id\")}'",
        "php -r 'system(\"id\");'", "find . -exec id \\;", "find private", "xargs -a private/token echo", "echo id|sh", "sh<<<id",
        "printf '\\151\\144'|sh", "echo aWQ=|base64 -d|sh", ". ./run", "sh run", "./run", "source run", "/bin/sh ./run", "trap id 0",
        "alias a=id", "a=i;b=d;$a$b", "a=id;$a", "x=id; eval $x", "$0 -c id", "${SHELL:-sh} -c id", "$'\\x69d'", "{id,-u,-n}", "{cat,private/token}",
        "{touch,made}", "while read l;do echo $l;done<private/token", "for i in private/*;do cat $i;done", "if id;then :;fi", "(id)", "{ id;}",
        "! id", "f(){ id;};f", "case 1 in 1)id;;esac", "until id;do :;done", "read l<private/token;echo $l", "mapfile a<private/token;echo ${a[@]}",
        "echo $(<private/token)", "echo `cat config.php`", "[ -f private/token ]&&touch made", "test 1&&id", "time id", "coproc id", "ln -s /etc/passwd made",
        "tr A-Z a-z<<<ID|sh", "rev<<<di|sh", "mkdir made", "kill -l", "ulimit -a", "type id", "cp config.php made", "tar cf made private", "echo $KEY",
    ))  # fmt: skip


COMMANDS = {"read": reading, "plain": plain, "write": writing, "program": program}
SEPARATORS = {
    "semicolon": ";", "pipe": "|", "and": "&&", "background": "&", "or": "||", "newline": "\n", "substitution": "$()", "backticks": "``",
    "process": "<()", "redirection": ">", "variable": "$KEY", "pipe-both": "|&", "parameter": "${}",
}  # fmt: skip
PREFIXES = ("", "x", "127.0.0.1", "tea", "green tea", "report.txt", "example.com", "-n 1", "a b c d", "tea, milk", "O")


BRACKETS = {"$()": ("$(", ")"), "``": ("`", "`"), "<()": ("<(", ")")}
REDIRECTIONS = (">made", "> made", ">>made", ">made<note", "<private/token", ">|made", "&>made", "<>made")
VARIABLES = ("$KEY", "${KEY}", "$KEY.", "${KEY:-x}", "${KEY#x}", "$K''EY")


def attack(c):
    at = c.below(len(TEMPLATES))
    quote = TEMPLATES[at][4]
    separator = c.tagged(SEPARATORS)
    command = "" if separator in (">", "$KEY") else c.tagged(COMMANDS)
    prefix = c.of(PREFIXES)
    space = c.of(("", " ", "\t", "  ", "\\\n"))
    behind = c.of(("", " ", "#", ";", " #", "&", "|cat", "\n", ";:", " & true", "||:", " #thanks"))
    # Double quotes expand what stands between them; single quotes have to be left.
    way_out = quote if quote == "'" else ""
    if separator in BRACKETS:
        opening, closing = BRACKETS[separator]
        text = opening + space + command + c.of(("", " ", "\n")) + closing
        if way_out or separator == "<()":
            text = quote + (" " if prefix else " cat ") + text + quote
        return at, prefix + c.of(("", " ", "-")) + text + c.of(("", " ", " tea"))
    if separator == ">":
        return at, prefix + quote + c.of(REDIRECTIONS) + quote
    if separator == "$KEY":
        return at, prefix + way_out + c.of(VARIABLES) + way_out
    if separator == "${}":
        form = c.of(("${x:-%s}", "${x-%s}", "${x:=%s}"))
        return at, prefix + way_out + form.replace("%s", "$(" + command + ")") + way_out
    if quote:
        behind = c.of((";", " ", "|", "&", "#", "\n")) + quote
    return at, prefix + quote + c.of(("", " ")) + separator + space + command + behind


PROSE = (
    "Tom & Jerry", "cats; dogs | birds", "salt && pepper", "C:\\Program Files", "5 > 3", "AT&T", "$5 for 2", "it's `quoted`", "see config.php",
    "The cat sat; id required", "a -> b", "1 < 2 & 3 > 2", "cost: $100 (20% off)", "key=value; other=value", "R&D | sales", "(see note)",
    "50% of $20", "head & shoulders", "sort by name; more below", "what is $HOME?", "use `ls` to list files", "more & more", "find & replace",
)  # fmt: skip
WORDS = ("cat", "id", "head", "tail", "sort", "more", "time", "find", "echo", "touch", "kill", "split", "tea", "price", "$5", "100%", "note")
JOINTS = (" & ", "; ", " | ", " > ", ", ", " - ", "\n", " && ", " (", ") ", " `", "` ", ": ", "/", " < ", " || ", "... ", " -> ")


def honest(c):
    if c.rarely(3):
        return c.of(PROSE) + c.of(("", ".", "!", " & co", "; see below", "?"))
    text = c.of(WORDS)
    for _ in range(1 + c.below(5)):
        text += c.of(JOINTS) + c.of(WORDS)
    return text


class Oracle:
    """Runs the template in a fresh folder; a secret in the output or a new file is an effect."""

    KEPT = {"note", "private", "config.php", "run"}

    works = True

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="oracle-")
        os.chmod(self.folder, 0o777)
        self.work = os.path.join(self.folder, "work")
        self.refill()

    def refill(self):
        shutil.rmtree(self.work, ignore_errors=True)
        os.mkdir(self.work)
        os.chmod(self.work, 0o777)
        os.mkdir(os.path.join(self.work, "private"))
        for file, text in (("private/token", SECRET), ("note", "tea"), ("config.php", "<?php $key = '" + SECRET + "';"), ("run", "echo " + SECRET)):
            with open(os.path.join(self.work, file), "w") as out:
                out.write(text + "\n")
        os.chmod(os.path.join(self.work, "run"), 0o755)

    def effect(self, at, value):
        if "\0" in value:
            return None
        name, shell, before, behind, _ = TEMPLATES[at]
        output = self.output(shell, before + value + behind)
        marks = ((SECRET, "a file is read"), ("root:x:0:0", "a file is read"), ("uid=", "a command is run"), (KEY, "the environment is read"))
        found = next((what for mark, what in marks if mark in output), None)
        if not found and any(word in output for word in ("nobody\n", "Linux ", self.work + "\n", "nogroup")) and "/proc" not in value:
            found = "a command is run"
        if set(os.listdir(self.work)) != self.KEPT:
            found = found or "a file is written"
            self.refill()
        return found

    def output(self, shell, command):
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "KEY": KEY, "LC_ALL": "C"}
        try:
            arguments = [shell, "-c", command.encode("utf-8", "surrogateescape")]
            process = subprocess.Popen(
                arguments, cwd=self.work, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, preexec_fn=limits,
            )  # fmt: skip
        except (OSError, ValueError):
            return ""
        try:
            output, _ = process.communicate(timeout=SECONDS_MAX)
        except subprocess.TimeoutExpired:
            output = b""
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:
            pass
        process.wait()
        process.stdout.close()
        return output[:OUTPUT_MAX].decode("latin-1")

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)
