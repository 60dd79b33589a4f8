import importlib, json, os, re, shutil, signal, subprocess, sys, warnings
warnings.simplefilter('ignore')
os.environ.setdefault('MPLBACKEND', 'agg')
metadata = None
try:
    import importlib.metadata as metadata
except ImportError:
    pass
packaging = None
for root in ('packaging', 'pip._vendor.packaging', 'setuptools._vendor.packaging', 'setuptools.extern.packaging'):
    try:
        importlib.import_module(root + '.markers'); importlib.import_module(root + '.specifiers')
        packaging = sys.modules[root]
        break
    except Exception:
        pass
here = [p for p in sys.path if p in ('', '.')]
elsewhere = [p for p in sys.path if p not in ('', '.')]

def normal(name):
    return re.sub('[-_.]+', '-', name).lower()

def allows(spec, version):
    try:
        return packaging is None or packaging.specifiers.SpecifierSet(spec).contains(version, prereleases=True)
    except Exception:
        return True

class Late(BaseException):
    pass

def late(*_):
    raise Late()

def fails(module):
    signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    try:
        importlib.import_module(module)
    except BaseException as error:
        # That it is there and wants to be configured first, or goes on running, is another matter.
        said = '%s: %s' % (type(error).__name__, str(error).splitlines()[0] if str(error) else module)
        return said if isinstance(error, ImportError) or re.search('shared object|undefined symbol', said) else None
    finally:
        signal.alarm(0)
    return None

def distribution(name, modules, spec, marker):
    try:
        if marker and packaging and not packaging.markers.Marker(marker).evaluate({'extra': ''}):
            return None
    except Exception:
        return None
    sys.path[:] = elsewhere
    try:
        found = metadata.distribution(name) if metadata else None
        if found is not None and spec and not allows(spec, found.version):
            return 'version %s is installed, %s is declared' % (found.version, spec)
        tops = list(modules)
        if found is not None and hasattr(metadata, 'packages_distributions'):
            owned = [m for m, by in metadata.packages_distributions().items() if normal(name) in map(normal, by)]
            tops = [m for m in owned if not m.startswith('_') and re.match(r'^\w+$', m)]
    except Exception:
        found, tops = None, list(modules)
        if not tops:
            return 'it is not installed'
    reasons = [fails(module) for module in tops]
    return reasons[0] if reasons and all(reasons) else None

def script(name, target):
    path = os.path.join(os.path.dirname(sys.executable), name)
    path = path if os.path.exists(path) else shutil.which(name)
    if path is None:
        return 'no program %s is installed' % name
    module = target.split(':')[0].split('[')[0].strip()
    reason = fails(module) if re.match(r'^[\w.]+$', module) else None
    if reason:
        return reason
    try:
        done = subprocess.run([path, '--help'], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    except subprocess.TimeoutExpired:
        return None
    except OSError as error:
        return str(error)
    said = done.stdout.decode('utf-8', 'replace')
    bad = re.search(r'^(ModuleNotFoundError|ImportError|\S*(?:PackageNotFoundError|DistributionNotFound|VersionConflict))\b.*', said, re.M)
    return bad.group(0) if done.returncode and bad else None

def module(name):
    sys.path[:] = here + elsewhere
    return fails(name)

def python(spec):
    version = '%d.%d.%d' % sys.version_info[:3]
    return None if allows(spec, version) else 'this is Python %s' % version

checks = {'distribution': distribution, 'module': module, 'script': script, 'python': python}
bad = 0
for kind, *args in json.loads(sys.argv[1]):
    why = checks[kind](*args)
    if why:
        bad = 1
        print('missing', kind, args[0], why, sep='\t', flush=True)
os._exit(bad)
