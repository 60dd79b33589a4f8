/**
 * What our filters look for, by theme, so that a reason can say what was wrong. A plain word is a word of an identifier
 * (`cuda` in `use_cuda` and `CudaDevice`, not in `barracuda`). A dotted one is what a name stands for after the imports are
 * followed, with all that it holds: `subprocess.*` is met by `sp.run` after `import subprocess as sp`, and never by a
 * variable that is called `subprocess`. `random` and `numpy.random` are fine: cases run with fixed seeds.
 */
export const BODY_WORDS: Readonly<Record<string, readonly string[]>> = {
  hardware: [
    ...['cuda', 'gpu', 'gpus', 'tpu', 'nvidia', 'cudnn', 'rocm'],
    ...['serial.*', 'usb.*', 'smbus.*', 'RPi.*', 'pyaudio.*', 'sounddevice.*', 'torch.distributed.*', 'pynvml.*'],
  ],
  'a cloud': [
    ...['boto3.*', 'botocore.*', 'google.cloud.*', 'googleapiclient.*', 'azure.*', 'openai.*', 'anthropic.*'],
    ...['kubernetes.*', 'docker.*', 'paramiko.*', 'fabric.*', 'huggingface_hub.*', 'wandb.*', 'mlflow.*'],
  ],
  'a network': [
    ...['socket.*', 'socketserver.*', 'ssl.*', 'requests.*', 'httpx.*', 'aiohttp.*', 'urllib.request.*', 'urllib3.*'],
    ...['http.client.*', 'http.server.*', 'ftplib.*', 'smtplib.*', 'imaplib.*', 'poplib.*', 'telnetlib.*', 'nntplib.*'],
    ...['xmlrpc.client.*', 'xmlrpc.server.*', 'websocket.*', 'websockets.*', 'grpc.*', 'pycurl.*', 'zmq.*', 'dns.*'],
  ],
  'a server': [
    'psycopg.*',
    'psycopg2.*',
    'pymysql.*',
    'MySQLdb.*',
    'pymongo.*',
    'redis.*',
    'pika.*',
    'kafka.*',
    'celery.*',
  ],
  'a screen or a person': [
    ...['tkinter.*', 'turtle.*', 'curses.*', 'pygame.*', 'wx.*', 'matplotlib.*', 'seaborn.*', 'plotly.*', 'bokeh.*'],
    ...[
      'PyQt5.*',
      'PyQt6.*',
      'PySide2.*',
      'PySide6.*',
      'cv2.imshow',
      'cv2.waitKey',
      'cv2.VideoCapture',
      'webbrowser.*',
    ],
    ...['pyautogui.*', 'getpass.*', 'builtins.input', 'builtins.breakpoint', 'pdb.*', 'readline.*'],
  ],
  'the command line': [
    'argparse.*',
    'optparse.*',
    'getopt.*',
    'sys.argv',
    'click.*',
    'typer.*',
    'fire.*',
    'absl.flags.*',
  ],
  'processes or threads': [
    ...['subprocess.*', 'multiprocessing.*', 'threading.*', '_thread.*', 'concurrent.futures.*', 'asyncio.*', 'trio.*'],
    ...['joblib.*', 'pebble.*', 'dask.*', 'ray.*', 'signal.*', 'sched.*', 'pty.*', 'pexpect.*', 'psutil.*'],
    ...[
      'os.system',
      'os.popen',
      'os.fork',
      'os.kill',
      'os.killpg',
      'os.wait*',
      'os.exec*',
      'os.spawn*',
      'os.posix_spawn*',
    ],
    ...['os.abort', 'os._exit', 'sys.exit', 'builtins.exit', 'builtins.quit', 'atexit.*'],
  ],
  'the clock': [
    ...['time.time', 'time.time_ns', 'time.sleep', 'time.monotonic*', 'time.perf_counter*', 'time.process_time*'],
    ...['time.ctime', 'time.localtime', 'time.gmtime', 'timeit.*', 'datetime.datetime.now', 'datetime.datetime.utcnow'],
    ...['datetime.datetime.today', 'datetime.date.today', 'pendulum.now', 'arrow.now', 'arrow.utcnow'],
  ],
  'chance that no seed fixes': [
    'secrets.*',
    'os.urandom',
    'os.getrandom',
    'uuid.uuid1',
    'uuid.uuid4',
    'random.SystemRandom',
  ],
  'the state of the machine': [
    ...['os.getpid', 'os.getppid', 'os.getlogin', 'os.uname', 'os.cpu_count', 'os.getloadavg', 'platform.*', 'pwd.*'],
    ...['gc.*', 'tracemalloc.*', 'resource.*', 'sys.getsizeof', 'sys.getrefcount', 'sys._getframe', 'inspect.stack'],
    ...['inspect.currentframe', 'sys.settrace', 'sys.setprofile', 'ctypes.*'],
  ],
};

/** A docstring that says so itself. Several words stand in this order, side by side. */
export const DOCSTRING_WORDS: readonly string[] = [
  ...['todo', 'fixme', 'deprecated', 'not implemented', 'work in progress', 'do not use'],
  ...['gpu', 'cuda', 'internet', 'http request', 'http requests', 'interactively', 'prompts the user'],
];

/** Whole words that a name begins with: `test_x`, `testX`, not `testify`. */
export const NAME_PREFIXES: readonly string[] = [
  'test',
  'tests',
  'main',
  'demo',
  'example',
  'benchmark',
  'bench',
  'plot',
];

/** Files that hold no functions worth a problem, and what they are. */
export const EXCLUDED_FILES: Readonly<Record<string, readonly string[]>> = {
  'a test': [
    '**/test/**',
    '**/tests/**',
    '**/testsuite/**',
    '**/test_*.py',
    '**/*_test.py',
    '**/*_tests.py',
    '**/conftest.py',
  ],
  documentation: [
    '**/doc/**',
    '**/docs/**',
    '**/example/**',
    '**/examples/**',
    '**/demo/**',
    '**/demos/**',
    '**/tutorials/**',
  ],
  'a measurement': ['**/bench/**', '**/benchmark/**', '**/benchmarks/**', '**/asv_bench/**'],
  'a script': [
    'scripts/**',
    'bin/**',
    'tools/**',
    'ci/**',
    '**/__main__.py',
    'noxfile.py',
    'tasks.py',
    'fabfile.py',
    'dodo.py',
  ],
  packaging: ['**/setup.py', '**/versioneer.py', '**/_version.py', 'build/**', 'dist/**', '**/*.egg/**'],
  'a copy of something else': [
    ...['**/_vendor/**', '**/_vendored/**', '**/vendor/**', '**/vendored/**', '**/third_party/**', '**/thirdparty/**'],
    ...['**/extern/**', '**/externals/**', '**/site-packages/**', '**/node_modules/**'],
  ],
  generated: ['**/migrations/**', '**/*_pb2.py', '**/*_pb2_grpc.py', '**/*_generated.py', '**/generated/**'],
  hidden: ['**/.*/**'],
};
