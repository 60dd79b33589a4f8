/**
 * Distributions whose import names are not their own names. Metadata of an installed package says it exactly
 * (`importlib.metadata.packages_distributions`); this is for before it is installed.
 */
const DIFFERENT: Readonly<Record<string, readonly string[]>> = {
  'antlr4-python3-runtime': ['antlr4'],
  'argon2-cffi': ['argon2'],
  attrs: ['attr', 'attrs'],
  'azure-storage-blob': ['azure.storage.blob'],
  beautifulsoup4: ['bs4'],
  biopython: ['Bio'],
  cython: ['Cython'],
  'delegator-py': ['delegator'],
  'discord-py': ['discord'],
  'django-environ': ['environ'],
  'django-filter': ['django_filters'],
  'django-debug-toolbar': ['debug_toolbar'],
  djangorestframework: ['rest_framework'],
  dnspython: ['dns'],
  'docker-py': ['docker'],
  'fake-factory': ['faker'],
  'ffmpeg-python': ['ffmpeg'],
  gitpython: ['git'],
  'google-api-python-client': ['googleapiclient'],
  'google-auth': ['google.auth'],
  'google-cloud-storage': ['google.cloud.storage'],
  grpcio: ['grpc'],
  'grpcio-tools': ['grpc_tools'],
  ipython: ['IPython'],
  'kafka-python': ['kafka'],
  levenshtein: ['Levenshtein'],
  'python-levenshtein': ['Levenshtein'],
  'python-ldap': ['ldap'],
  'markdown-it-py': ['markdown_it'],
  'msgpack-python': ['msgpack'],
  'mysql-connector-python': ['mysql.connector'],
  mysqlclient: ['MySQLdb'],
  netcdf4: ['netCDF4'],
  'opencv-python': ['cv2'],
  'opencv-python-headless': ['cv2'],
  pastedeploy: ['paste.deploy'],
  'pep8-naming': ['pep8ext_naming'],
  pillow: ['PIL'],
  protobuf: ['google.protobuf'],
  'psycopg2-binary': ['psycopg2'],
  'py-cpuinfo': ['cpuinfo'],
  pycairo: ['cairo'],
  pycrypto: ['Crypto'],
  pycryptodome: ['Crypto'],
  pycryptodomex: ['Cryptodome'],
  pygobject: ['gi'],
  pyjwt: ['jwt'],
  pymongo: ['pymongo', 'bson', 'gridfs'],
  pynacl: ['nacl'],
  pyopenssl: ['OpenSSL'],
  pyserial: ['serial'],
  pysocks: ['socks'],
  'python-box': ['box'],
  'python-crontab': ['crontab'],
  'python-dateutil': ['dateutil'],
  'python-decouple': ['decouple'],
  'python-docx': ['docx'],
  'python-dotenv': ['dotenv'],
  'python-gnupg': ['gnupg'],
  'python-jose': ['jose'],
  'python-json-logger': ['pythonjsonlogger'],
  'python-magic': ['magic'],
  'python-memcached': ['memcache'],
  'python-mimeparse': ['mimeparse'],
  'python-multipart': ['multipart'],
  'python-pptx': ['pptx'],
  'python-slugify': ['slugify'],
  'python-snappy': ['snappy'],
  'python-socketio': ['socketio'],
  'python-xlib': ['Xlib'],
  pywavelets: ['pywt'],
  pyxdg: ['xdg'],
  pyyaml: ['yaml'],
  pyzmq: ['zmq'],
  'ruamel-yaml': ['ruamel.yaml'],
  'scikit-image': ['skimage'],
  'scikit-learn': ['sklearn'],
  setuptools: ['setuptools', 'pkg_resources'],
  speechrecognition: ['speech_recognition'],
  'umap-learn': ['umap'],
  'websocket-client': ['websocket'],
  wxpython: ['wx'],
  'zope-interface': ['zope.interface'],
  'zope-event': ['zope.event'],
  'zope-testing': ['zope.testing'],
  'zope-testrunner': ['zope.testrunner'],
};

/** Packages of annotations and plugins: they are used without being imported by name. */
const NOT_IMPORTED = /^(types-|.*-stubs$|.*-types$|boto3-stubs|mypy-extensions$)/;

const normal = (name: string) => name.toLowerCase().replace(/[-_.]+/g, '-');

/** What a distribution is imported as, as far as its name tells. */
export function importNamesOf(distribution: string): readonly string[] {
  const name = normal(distribution);
  if (NOT_IMPORTED.test(name)) return [];
  return DIFFERENT[name] ?? [name.replaceAll('-', '_')];
}

/** Where several distributions give one import name, the one that installs without a compiler or is kept today. */
const PREFERRED: Readonly<Record<string, string>> = {
  Crypto: 'pycryptodome',
  cv2: 'opencv-python-headless',
  docx: 'python-docx',
  faker: 'Faker',
  Levenshtein: 'Levenshtein',
  memcache: 'python-memcached',
  MySQLdb: 'mysqlclient',
  psycopg2: 'psycopg2-binary',
  slugify: 'python-slugify',
  magic: 'python-magic',
  yaml: 'PyYAML',
  zmq: 'pyzmq',
};

const BY_MODULE: ReadonlyMap<string, string> = new Map(
  Object.entries(DIFFERENT).flatMap(([name, modules]) => modules.map((module) => [module, name] as const)),
);

/** The distribution that most likely brings a module: `yaml` → `PyYAML`, `bs4.element` → `beautifulsoup4`. */
export function distributionOf(module: string): string {
  const parts = module.split('.');
  for (let length = parts.length; length > 0; length -= 1) {
    const prefix = parts.slice(0, length).join('.');
    const known = PREFERRED[prefix] ?? BY_MODULE.get(prefix);
    if (known) return known;
  }
  // A namespace package names its parts in full; an ordinary one is named after its root.
  const namespaced = /^(zope|google|azure|ruamel|jaraco|backports|repoze|plone|sphinxcontrib|keyrings|testing)$/;
  return namespaced.test(parts[0]!) ? parts.slice(0, 2).join('.') : parts[0]!.replaceAll('_', '-');
}
