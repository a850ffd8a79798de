"""One part of a search: attacks of a grammar that work and pass, by chance and by hill climbing on the score, and honest
values that are refused."""

import time

from choices import Attack, Choices, Random, changed

BATCH = 100
CLIMBS_KEPT, MUTANTS_A_STEP, STEPS_MAX = 24, 6, 30
ROUNDS_MAX = 3
# Passing attacks of a part that are made small, in a family that executes all of them.
SMALL_MAX = 1600
# Shares of the time of a part: attacks by chance, by climbing; the rest is for honest values.
CHANCE, CLIMBING = 0.5, 0.85


class Part:
    def __init__(self, family, oracle, judge, seed, seconds):
        self.family, self.oracle, self.judge = family, oracle, judge
        self.seed, self.seconds = seed, seconds
        self.began = time.monotonic()
        self.counts = dict.fromkeys(
            ("generated", "working", "passing", "mutants", "working_mutants", "passing_mutants", "honest", "refused"), 0
        )
        self.classes, self.refused, self.seen = {}, {}, set()

    def run(self):
        self.chance()
        self.climb()
        self.honest()
        return {
            "family": self.family.NAME, "seed": self.seed, "seconds": self.seconds, **self.counts,
            "classes": self.classes, "honest_refused": self.refused,
        }  # fmt: skip

    def has_time(self, share):
        return time.monotonic() - self.began < self.seconds * share

    def effect(self, attack):
        return self.oracle.effect(attack.template, attack.value)

    def effects(self, attacks):
        """The same of several, at once where the oracle can."""
        pairs = [(attack.template, attack.value) for attack in attacks]
        if hasattr(self.oracle, "effects"):
            return self.oracle.effects(pairs)
        return [self.oracle.effect(*pair) for pair in pairs]

    def chance(self):
        """Attacks as the grammar gives them. What passes is always executed, of the rest one in `SAMPLED`."""
        index, sampled, self.starts = 0, self.family.SAMPLED, []
        self.random = Random(self.seed, 1 << 41)
        while self.has_time(CHANCE):
            attacks = {}
            for index in range(index, index + BATCH):
                attack = Attack(self.family, Random(self.seed, index))
                if attack.value not in self.seen:
                    attacks[attack.value] = attack
            index += 1
            self.seen.update(attacks)
            self.counts["generated"] += BATCH
            verdicts = zip(attacks.values(), self.judge.verdicts(list(attacks)))
            chosen = [(attack, verdict) for attack, verdict in verdicts if verdict.passes or self.random.below(sampled) == 0]
            for (attack, verdict), effect in zip(chosen, self.effects([attack for attack, _ in chosen])):
                if not effect:
                    continue
                self.counts["working"] += 1 if verdict.passes else sampled
                if verdict.passes:
                    self.counts["passing"] += 1
                    self.found(attack, 1)
                else:
                    self.starts.append((verdict.score, len(self.starts), attack))

    def climb(self):
        """Refused attacks are changed, and what scores no more than before is changed again until it passes."""
        random = Random(self.seed, 1 << 40)
        starts = sorted(self.starts)[:CLIMBS_KEPT] + [self.starts[random.below(len(self.starts))] for _ in self.starts[:500]]
        for score, _, attack in starts:
            for _ in range(STEPS_MAX):
                if not self.has_time(CLIMBING):
                    return
                score, attack, passes = self.step(score, attack, random)
                if passes:
                    break

    def step(self, score, attack, random):
        mutants = [Attack(self.family, random, changed(attack.choices, random)) for _ in range(MUTANTS_A_STEP)]
        self.counts["mutants"] += len(mutants)
        mutants = [mutant for mutant in mutants if mutant.value not in self.seen]
        self.seen.update(mutant.value for mutant in mutants)
        verdicts = zip(mutants, self.judge.verdicts([mutant.value for mutant in mutants]))
        better = [(mutant, verdict) for mutant, verdict in verdicts if verdict.passes or verdict.score <= score]
        for (mutant, verdict), effect in zip(better, self.effects([mutant for mutant, _ in better])):
            if not effect:
                continue
            self.counts["working_mutants"] += 1
            if verdict.passes:
                self.counts["passing_mutants"] += 1
                self.found(mutant)
                return score, attack, True
            score, attack = verdict.score, mutant
        return score, attack, False

    def found(self, attack, by_chance=0):
        """Makes an attack small and adds its class."""
        if sum(entry["count"] for entry in self.classes.values()) < SMALL_MAX // self.family.SAMPLED:
            attack = self.small(attack)
        containers = self.judge.verdicts([attack.value])[0].passes
        name = attack.name(self.family) + ("/only-json" if containers == ["json"] else "")
        entry = self.classes.setdefault(name, {"count": 0, "by_chance": 0, "example": attack.value})
        entry["count"] += 1
        entry["by_chance"] += by_chance
        if len(attack.value) <= len(entry["example"]):
            entry.update(example=attack.value, passes_in=containers, effect=self.effect(attack))

    def small(self, attack):
        """The plainest choices with which it still works and passes in the same containers."""
        containers = self.passes(attack)
        for _ in range(ROUNDS_MAX):
            before = attack.value
            for at in reversed(range(len(attack.choices))):
                if at >= len(attack.choices) or attack.choices[at] == 0:
                    continue
                choices = [*attack.choices[:at], 0, *attack.choices[at + 1 :]]
                plainer = Attack(self.family, None, choices)
                is_smaller = len(plainer.value) <= len(attack.value)
                if is_smaller and self.passes(plainer) >= containers and self.effect(plainer):
                    attack = plainer
            if attack.value == before:
                break
        return attack

    def passes(self, attack):
        return set(self.judge.verdicts([attack.value])[0].passes)

    def honest(self):
        """Values without an effect in any template that are refused."""
        index = 0
        while self.has_time(1):
            values = []
            for _ in range(BATCH // 4):
                value = self.family.honest(Choices(Random(self.seed ^ 0x5EED, index)))
                index += 1
                self.counts["honest"] += 1
                if value not in self.seen:
                    self.seen.add(value)
                    values.append(value)
            # What is refused is executed in every template: only what none of them runs is honest.
            for value, verdict in zip(values, self.judge.verdicts(values)):
                is_refused = len(verdict.passes) < len(verdict.row)
                if is_refused and not any(self.oracle.effect(at, value) for at in range(len(self.family.TEMPLATES))):
                    self.counts["refused"] += 1
                    self.refused.setdefault(",".join(verdict.rules), []).append(value)
