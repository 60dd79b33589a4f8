import { BASE_IMAGE } from '../../src/machine/image';

/** A task in Harbor's layout as others write them, with what solves it. */
export interface TaskOfOthers {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** What an agent runs until it submits, part by part. */
  readonly solved: readonly string[];
}

/** Waits for what listens on port 8055. */
export const UP = 'until (exec 3<>/dev/tcp/127.0.0.1/8055) 2> /dev/null; do sleep 0.1; done';

const DOCKERFILE = `FROM ${BASE_IMAGE}\nWORKDIR /app\n`;
const reward = (test: string) =>
  `#!/bin/bash\nif ${test}; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi\n`;
const script = (command: string) => `#!/bin/bash\nset -e\n${command}\n`;

/** A task of one part; `files` over what each has. */
function task(name: string, statement: string, solve: string, files: Record<string, string>): TaskOfOthers {
  return {
    name,
    files: {
      'task.toml': 'schema_version = "1.4"\n',
      'instruction.md': `${statement}\n`,
      'environment/Dockerfile': DOCKERFILE,
      'solution/solve.sh': script(solve),
      ...files,
    },
    solved: [solve],
  };
}

const COUNTER = `import http.server, json, os
SEEN = []
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        SEEN.append(self.path)
        open('/tmp/seen.json', 'w').write(json.dumps(SEEN))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(os.environ['WORD'].encode())
http.server.HTTPServer(('', 8000), Answer).serve_forever()
`;
const SIDECAR = {
  'environment/docker-compose.yaml': `services:
  main:
    depends_on: { vault: { condition: service_healthy } }
  vault:
    build: ./vault
    environment: [WORD=tangerine]
    expose: [8000]
    healthcheck: { test: ["CMD-SHELL", "bash -c 'exec 3<>/dev/tcp/127.0.0.1/8000'"], interval: 1s }
`,
  'environment/vault/Dockerfile': `FROM ${BASE_IMAGE}\nCOPY vault.py /srv/vault.py\nENTRYPOINT ["python3"]\nCMD ["/srv/vault.py"]\n`,
  'environment/vault/vault.py': COUNTER,
};
const fetched = (url: string) =>
  `python3 -c "import urllib.request as u; print(u.urlopen('${url}', timeout=5).read().decode())"`;

/** Ten kinds, after what tasks for terminals are like; the first three are tried on every commit. */
export const TASKS_OF_OTHERS: readonly TaskOfOthers[] = [
  {
    name: 'steps',
    files: {
      'task.toml':
        'schema_version = "1.4"\n[environment]\nworkdir = "/app"\n[[steps]]\nname = "count"\nmin_reward = 1.0\n[[steps]]\nname = "sum"\nhealthcheck = { command = "[ -e /app/ready ]" }\n[steps.verifier]\ntimeout_sec = 60\nenv = { WANTED = "6" }\n',
      'environment/Dockerfile': DOCKERFILE,
      'steps/count/instruction.md': 'Count the lines of numbers.txt into count.txt.\n',
      'steps/count/workdir/numbers.txt': '1\n2\n3\n',
      'steps/count/tests/test.sh': reward('[ "$(cat count.txt)" = 3 ] && [ ! -e /app/more.txt ]'),
      'steps/count/solution/solve.sh': script('wc -l < numbers.txt > count.txt'),
      'steps/sum/instruction.md': 'Add the numbers up into sum.txt. prepared.txt says where.\n',
      'steps/sum/workdir/more.txt': 'more\n',
      'steps/sum/workdir/setup.sh':
        'find /tests /logs/verifier -type f > /app/peek.txt 2>/dev/null; (sleep 2; touch /app/ready) > /dev/null 2>&1 & echo /app > prepared.txt\n',
      'tests/test.sh': reward(
        '[ "$(cat sum.txt)" = "$WANTED" ] && [ -e count.txt ] && [ "$(cat prepared.txt)" = /app ] && [ ! -s peek.txt ]',
      ),
      'steps/sum/solution/solve.sh': script('paste -sd+ numbers.txt | python3 -c "print(eval(input()))" > sum.txt'),
    },
    solved: ['wc -l < numbers.txt > count.txt', 'echo 6 > sum.txt'],
  },
  task(
    'sidecar',
    'Ask http://vault:8000/word and write its answer into word.txt.',
    `${fetched('http://vault:8000/word')} > word.txt`,
    {
      ...SIDECAR,
      'task.toml': 'schema_version = "1.4"\n[environment]\nnetwork_mode = "no-network"\n',
      'tests/test.sh': reward('[ "$(cat word.txt)" = tangerine ]'),
    },
  ),
  task(
    'apart',
    'Write a program out/run that prints 42, and nothing else into out.',
    `mkdir -p out; printf '#!/bin/sh\\necho 42\\n' > out/run; chmod +x out/run; echo x > out/a.log`,
    {
      'task.toml':
        'schema_version = "1.4"\nartifacts = [{ source = "/app/out", exclude = ["*.log"] }]\n[verifier]\nenvironment_mode = "separate"\n[[verifier.collect]]\ncommand = "hostname > /logs/artifacts/host; ls /app > /app/out/listed"\n[verifier.environment]\nnetwork_mode = "no-network"\nenv = { KEPT = "apart" }\n',
      'tests/Dockerfile': `FROM ${BASE_IMAGE}\nWORKDIR /judge\nCOPY . /tests/\n`,
      'tests/expected': '42\n',
      'tests/test.sh': reward(
        '[ "$(/app/out/run)" = "$(cat /tests/expected)" ] && [ "$KEPT" = apart ] && [ "$PWD" = /judge ] && [ ! -e /app/out/a.log ] && grep -q out /app/out/listed && [ -s /logs/artifacts/host ]',
      ),
    },
  ),
  task('file', 'Write hello into greeting.txt.', 'echo hello > greeting.txt', {
    'tests/test.sh': reward('grep -qx hello greeting.txt'),
  }),
  task('c-bug', 'sum.c prints 45 for the numbers to 10. It should be 55.', "sed -i 's/i < n/i <= n/' sum.c", {
    'environment/Dockerfile': `${DOCKERFILE}RUN apt-get update -qq && apt-get install -qqy gcc libc6-dev > /dev/null\nCOPY sum.c .\n`,
    'environment/sum.c':
      '#include <stdio.h>\nint main(void) { int n = 10, s = 0; for (int i = 1; i < n; i++) s += i; printf("%d\\n", s); return 0; }\n',
    'tests/test.sh': reward('gcc -o /tmp/sum sum.c && [ "$(/tmp/sum)" = 55 ]'),
  }),
  task('server', 'Serve /app on port 8055.', `(nohup python3 -m http.server 8055 > /dev/null 2>&1 &) ; ${UP}`, {
    'environment/Dockerfile': `${DOCKERFILE}RUN echo seed > seed.txt\n`,
    'tests/test.sh': reward(`[ "$(${fetched('http://localhost:8055/seed.txt')} | head -1)" = seed ]`),
  }),
  task(
    'fraction',
    'Convert people.csv to people.json: a list of objects.',
    `python3 -c "import csv, json; json.dump(list(csv.DictReader(open('people.csv'))), open('people.json', 'w'))"`,
    {
      'environment/Dockerfile': `${DOCKERFILE}COPY people.csv .\n`,
      'environment/people.csv': 'name,age\nann,30\nbob,40\n',
      'tests/test.sh': '#!/bin/bash\npython3 /tests/check.py\n',
      'tests/check.py': `import csv, json
try: given = json.load(open('/app/people.json'))
except OSError: given = []
wanted = list(csv.DictReader(open('/app/people.csv')))
share = sum(each in given for each in wanted) / len(wanted)
json.dump({'reward': share, 'rows': len(given)}, open('/logs/verifier/reward.json', 'w'))
`,
    },
  ),
  task(
    'history',
    'A secret was committed in /app and removed later. Make it vanish from the history, and keep both messages.',
    'git reset -q --soft $(git rev-list --max-parents=0 HEAD) && git rm -q --cached --ignore-unmatch secret.txt; git commit -q --amend --allow-empty -m first && git commit -q --allow-empty -m second && git reflog expire --expire=now --all && git gc -q --prune=now',
    {
      'environment/Dockerfile': `${DOCKERFILE}RUN git init -q && git config user.email a@b.c && git config user.name a && echo hunter2 > secret.txt && git add . && git commit -qm first && git rm -q secret.txt && git commit -qm second\n`,
      'tests/test.sh': reward(
        '[ "$(git log --format=%s | paste -sd,)" = second,first ] && ! git log --all -p | grep -q hunter2',
      ),
    },
  ),
  task(
    'evidence',
    'Ask http://vault:8000/a and then http://vault:8000/b.',
    `${fetched('http://vault:8000/a')}; ${fetched('http://vault:8000/b')}`,
    {
      ...SIDECAR,
      'task.toml':
        'schema_version = "1.4"\nartifacts = [{ source = "/tmp/evidence.json", service = "vault" }]\n[verifier]\nenvironment_mode = "separate"\n[[verifier.collect]]\nservice = "vault"\ncommand = "cp /tmp/seen.json /tmp/evidence.json"\n',
      'tests/test.sh': reward(`grep -qF '["/a", "/b"]' /tmp/evidence.json`),
    },
  ),
  task(
    'healthcheck',
    'Something answers on port 8066. Write what it says into said.txt.',
    `${fetched('http://localhost:8066/')} > said.txt`,
    {
      'task.toml':
        'schema_version = "1.4"\n[environment.healthcheck]\ncommand = "bash -c \'exec 3<>/dev/tcp/127.0.0.1/8066\'"\ninterval_sec = 1.0\n',
      'environment/Dockerfile': `${DOCKERFILE}COPY entry.sh said.py /srv/\nENTRYPOINT ["bash", "/srv/entry.sh"]\n`,
      'environment/entry.sh': 'sleep 2\nWORD=quince python3 /srv/said.py &\nexec "$@"\n',
      'environment/said.py': COUNTER.replace('8000', '8066'),
      'tests/test.sh': reward('[ "$(cat said.txt)" = quince ]'),
    },
  ),
];
