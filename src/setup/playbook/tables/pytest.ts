/** Plugins by the command-line option that they add. */
const OPTIONS: readonly (readonly [RegExp, string])[] = [
  [/^--(no-)?cov\b/, 'pytest-cov'],
  [/^(-n|-n\d+|-nauto|--dist|--numprocesses|--maxprocesses|--looponfail)\b/, 'pytest-xdist'],
  [/^--timeout/, 'pytest-timeout'],
  [/^--asyncio/, 'pytest-asyncio'],
  [/^--benchmark/, 'pytest-benchmark'],
  [/^--reruns/, 'pytest-rerunfailures'],
  [/^--random-order/, 'pytest-random-order'],
  [/^--randomly|^-p=?no:randomly/, 'pytest-randomly'],
  [/^--(ds|dc|reuse-db|create-db|no-?migrations|migrations|django\w*|fail-on-template-vars)\b/, 'pytest-django'],
  [/^--(doctest-plus|doctest-rst|text-file-format)/, 'pytest-doctestplus'],
  [/^--mpl/, 'pytest-mpl'],
  [/^--(disable|allow)-(socket|hosts|unix-socket)/, 'pytest-socket'],
  [/^--(html|self-contained-html)/, 'pytest-html'],
  [/^--hypothesis/, 'hypothesis'],
  [/^--typeguard/, 'typeguard'],
  [/^--remote-data/, 'pytest-remotedata'],
  [/^--open-files/, 'pytest-openfiles'],
  [/^--nbval/, 'nbval'],
  [/^--snapshot/, 'syrupy'],
  [/^--vcr|^--record-mode|^--block-network/, 'pytest-recording'],
  [/^--spec/, 'pytest-spec'],
  [/^--picked/, 'pytest-picked'],
  [/^--testmon/, 'pytest-testmon'],
  [/^--(json-report|report-log)/, 'pytest-json-report'],
  [/^--pydocstyle/, 'pytest-pydocstyle'],
  [
    /^--(flake8|mypy|pylint|black|isort|ruff|pep8|pycodestyle|forked|instafail|mccabe|checkdocs|enabler|sugar|perf|clarity|env|docker|runslow|subunit|memray)\b/,
    'pytest-$1',
  ],
];

/** The plugin that adds an option, or null. */
export const pluginOfOption = (option: string) => lookUp(OPTIONS, option);

function lookUp(table: readonly (readonly [RegExp, string])[], text: string): string | null {
  for (const [pattern, plugin] of table) {
    const found = pattern.exec(text);
    if (found) return plugin.replace('$1', found[1] ?? '');
  }
  return null;
}

/** Plugins by the key of pytest's own table that they add. */
const KEYS: readonly (readonly [RegExp, string])[] = [
  [/^timeout(_|$)/, 'pytest-timeout'],
  [/^asyncio_/, 'pytest-asyncio'],
  [/^anyio_/, 'anyio'],
  [/^trio_/, 'pytest-trio'],
  [/^(DJANGO_\w+|django_\w+|python_paths)$/, 'pytest-django'],
  [/^(env|env_files)$/, 'pytest-env'],
  [/^mock_/, 'pytest-mock'],
  [/^doctest_(plus|rst|subpackage_requires)/, 'pytest-doctestplus'],
  [/^(text_file_format|show_warnings_in_doctest)/, 'pytest-doctestplus'],
  [/^remote_data/, 'pytest-remotedata'],
  [/^qt_/, 'pytest-qt'],
  [/^xvfb_/, 'pytest-xvfb'],
  [/^mpl-/, 'pytest-mpl'],
  [/^(reruns|reruns_delay|rerun_\w+)$/, 'pytest-rerunfailures'],
  [/^randomly_/, 'pytest-randomly'],
  [/^vcr_/, 'pytest-recording'],
  [/^spec_/, 'pytest-spec'],
  [/^httpx_mock/, 'pytest-httpx'],
  [/^open_files/, 'pytest-openfiles'],
  [/^(looponfailroots|rsyncdirs|rsyncignore)$/, 'pytest-xdist'],
  [/^(flake8|mypy|pylint|isort|pep8|pycodestyle|pydocstyle|docker|mongodb|postgresql|mysql|redis)[_-]/, 'pytest-$1'],
];

/** The plugin that adds a key to the configuration, or null. */
export const pluginOfKey = (key: string) => lookUp(KEYS, key);

/** Distributions by the fixture that they provide. */
export const FIXTURES: Readonly<Record<string, string>> = {
  aiohttp_client: 'pytest-aiohttp',
  aiohttp_server: 'pytest-aiohttp',
  aioresponses: 'aioresponses',
  benchmark: 'pytest-benchmark',
  cov: 'pytest-cov',
  data_regression: 'pytest-regressions',
  datadir: 'pytest-datadir',
  shared_datadir: 'pytest-datadir',
  django_db_blocker: 'pytest-django',
  django_user_model: 'pytest-django',
  settings: 'pytest-django',
  rf: 'pytest-django',
  event_loop: 'pytest-asyncio',
  faker: 'Faker',
  file_regression: 'pytest-regressions',
  freezer: 'pytest-freezer',
  fs: 'pyfakefs',
  httpbin: 'pytest-httpbin',
  httpserver: 'pytest-httpserver',
  httpx_mock: 'pytest-httpx',
  image_regression: 'pytest-regressions',
  mocker: 'pytest-mock',
  num_regression: 'pytest-regressions',
  qtbot: 'pytest-qt',
  requests_mock: 'requests-mock',
  respx_mock: 'respx',
  script_runner: 'pytest-console-scripts',
  smtpd: 'pytest-smtpd',
  snapshot: 'syrupy',
  subtests: 'pytest-subtests',
  testbook: 'testbook',
  time_machine: 'time-machine',
  virtualenv: 'pytest-virtualenv',
  worker_id: 'pytest-xdist',
};

/** Plugins by the marker that they register. */
export const MARKERS: Readonly<Record<string, string>> = {
  asyncio: 'pytest-asyncio',
  anyio: 'anyio',
  benchmark: 'pytest-benchmark',
  django_db: 'pytest-django',
  flaky: 'flaky',
  forked: 'pytest-forked',
  freeze_time: 'pytest-freezer',
  httpx_mock: 'pytest-httpx',
  mpl_image_compare: 'pytest-mpl',
  order: 'pytest-order',
  parallel_threads: 'pytest-run-parallel',
  remote_data: 'pytest-remotedata',
  timeout: 'pytest-timeout',
  trio: 'pytest-trio',
  twisted: 'pytest-twisted',
  vcr: 'pytest-recording',
  xdist_group: 'pytest-xdist',
};
