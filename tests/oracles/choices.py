"""Values as sequences of choices. A grammar is a function that asks for one choice after the other; every sequence of
numbers gives a value of the grammar, so values are changed and made small by changing their choices. Choice 0 is the
plainest production everywhere."""

MASK = (1 << 64) - 1


class Random:
    """splitmix64: the same values in every run."""

    def __init__(self, seed, index=0):
        self.state = (seed ^ (index * 0xD1342543DE82EF95)) & MASK
        self.next()

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = ((self.state ^ (self.state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound):
        return self.next() % max(bound, 1)


class Choices:
    """Choices of a value: first those of `prefix`, then random ones, or 0 without a generator."""

    def __init__(self, random=None, prefix=()):
        self.random, self.prefix = random, prefix
        self.taken, self.tags = [], []

    def below(self, bound):
        at = len(self.taken)
        if at < len(self.prefix):
            choice = self.prefix[at] % bound
        else:
            choice = self.random.below(bound) if self.random else 0
        self.taken.append(choice)
        return choice

    def of(self, items):
        return items[self.below(len(items))]

    def rarely(self, times):
        """True once in `times`; choice 0 is False."""
        return self.below(times) == times - 1

    def tagged(self, productions):
        """The result of one of `productions`, a table of names and functions or texts; its name becomes a tag."""
        name = self.of(list(productions))
        self.tags.append(name)
        production = productions[name]
        return production(self) if callable(production) else production

    def case(self, text):
        """`text` in lower, upper or mixed case."""
        form = self.below(4)
        if form < 2:
            return text
        if form == 2:
            return text.upper()
        return "".join(letter.upper() if self.below(2) else letter for letter in text)


def changed(taken, random):
    """A sequence that differs from `taken` in a few places."""
    choices = list(taken)
    for _ in range(1 + random.below(3)):
        if not choices:
            break
        at, way = random.below(len(choices)), random.below(6)
        if way == 0:
            del choices[at]
        elif way == 1:
            choices.insert(at, random.below(64))
        else:
            choices[at] = random.below(64)
    return choices


class Attack:
    """A value of the grammar of a family with the place of the template for which it is written."""

    def __init__(self, family, random=None, prefix=()):
        choices = Choices(random, prefix)
        self.template, self.value = family.attack(choices)
        self.choices, self.tags = choices.taken, choices.tags

    def name(self, family):
        """The class: the template and the productions that are named."""
        return "/".join([family.NAME, family.TEMPLATES[self.template][0], *dict.fromkeys(self.tags)])
