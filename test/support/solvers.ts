const fence = (code: string) => ({ raw: `Here it is.\n\n\`\`\`python\n${code}\n\`\`\`\n` });

const ORDINAL = `def ordinal(number):
    if number < 0:
        raise ValueError('no')
    if number // 10 % 10 == 1:
        return f'{number}th'
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"`;
const RIGHT = {
  camelize: `def camelize(text, upper_first=True):
    words = [word.capitalize() for word in split_words(text)]
    if words and not upper_first:
        words[0] = words[0].lower()
    return ''.join(words)`,
  'Counter.add': `def add(self, text):
    words = split_words(text)
    before = len(self.counts)
    for word in words:
        self.counts[word] = self.counts.get(word, 0) + 1
    return len(self.counts) - before`,
};

/** A model that is right, wrong and then right, never readable, and one that hangs; each by the problem it is asked about. */
export const textkitSolver = {
  scenes: [
    { when: '`camelize`', turns: [fence(RIGHT.camelize)] },
    // Wrong of 20, and of 11 to 13 after it was told; then right.
    {
      when: '`ordinal`',
      turns: [
        fence("def ordinal(number):\n    return f'{number}th'"),
        fence(`def ordinal(number):\n    return f"{number}{['th', 'st', 'nd', 'rd'][min(number % 10, 4) % 4]}"`),
        fence(ORDINAL),
      ],
    },
    { when: '`Counter.add`', turns: [{ raw: 'I would rather not.' }, fence(RIGHT['Counter.add'])] },
    { when: '`label`', turns: [fence('def label(text, number):\n    while True:\n        pass')], end: 'repeat' },
  ],
};
