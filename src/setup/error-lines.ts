/**
 * What lines of build and test output are worth. Tools wrap the reason in layers ("subprocess exited", "failed building
 * wheel", "make: *** Error 1"): the layers are noise, the reason is decisive.
 */

/** Never the reason, though some of them begin with "error". */
export const NOISE: readonly RegExp[] = [
  /^(?:warning|warn|npm warn|deprecation|debug|info|note|hint)\b/i,
  /^\S*(?:Deprecation|User|Future|Runtime|Resource|Syntax)Warning\b/,
  /^error: subprocess-exited-with-error$/i,
  /^error: metadata-generation-failed$/i,
  /^(?:ERROR: )?Failed (?:building wheel|to build)\b/i,
  /^(?:ERROR: )?Could not build wheels\b/i,
  /^ERROR: Failed cleaning build dir\b/i,
  /^error: legacy-install-failure$/i,
  /^(?:\S+ )*did not run successfully\.?$/i,
  /^exit (?:code|status):? \d+/i,
  /^Encountered error while\b/i,
  /^See above for (?:output|details)/i,
  /^\[end of output\]/,
  /^ERROR: pip's dependency resolver does not\b/,
  /^make(?:\[\d+\])?: \*\*\* .*(?:Error \d+|Waiting for unfinished jobs)/,
  /^make(?:\[\d+\])?: (?:Entering|Leaving) directory\b/,
  /^ninja: build stopped\b/,
  /^gmake\b/,
  /^=+.*=+$/,
  /^_+.*_+$/,
  /^!+.*!+$/,
  /^-+.*-+$/,
  /^Traceback \(most recent call last\)/,
  /^File "[^"]*", line \d+/,
  /^[\^~ ]+$/,
  /^error: could not compile\b/,
  /^error: aborting due to\b/,
  /^error: failed to compile\b/,
  /^For more information about this error\b/,
  /^error: build failed$/,
  /^Caused by:$/,
  /^FAIL(?:\t|$)/,
  /^exit status \d+$/,
  /^BUILD FAILURE$/,
  /^(?:Re-run Maven|To see the full stack trace|For more information about the errors|After correcting the problems)\b/i,
  /^A complete log of this run can be found\b/i,
  /^(?:Total time|Finished at):/,
  /^(?:code|errno|syscall|path|dest|command) \S+/,
  /^Lifecycle script\b/,
  /^compilation terminated\.?$/,
  /^raise\b/,
  /^\S+\.py:\d+: \w+$/,
  /^collect2: error: ld returned\b/,
  /^(?:ERROR: )?Command errored out\b/i,
  /^(?:ERROR: )?usage:/i,
  /^(?:inifile|rootdir|configfile|plugins|platform):/,
  /^Hint: make sure\b/,
  /^\d+ (?:passed|failed|errors?|skipped|warnings?)\b/,
];

/** First pattern that fits decides. Higher weights name a cause, lower ones only say that there is one. */
export const DECISIVE: readonly { readonly weight: number; readonly pattern: RegExp }[] = [
  // What is missing, by name.
  { weight: 100, pattern: /\b(?:ModuleNotFoundError|No module named)\b/ },
  { weight: 100, pattern: /\bfatal error: .+: No such file or directory/ },
  { weight: 100, pattern: /\b(?:command )?not found(?: in \$PATH)?$/i },
  { weight: 100, pattern: /\bexecutable (?:file )?not found\b/i },
  { weight: 100, pattern: /\bExecutableNotFound\b/ },
  { weight: 100, pattern: /\b(?:command '[^']+' failed|unable to execute '[^']+'): No such file or directory/ },
  { weight: 100, pattern: /^env: .+: No such file or directory/ },
  {
    weight: 100,
    pattern: /\bC compiler\b.*\b(?:not found|cannot create executables|no acceptable)|\bno acceptable C compiler\b/i,
  },
  { weight: 100, pattern: /\blinker ['`]?\w+['`]? not found/ },
  { weight: 100, pattern: /\bcannot find -l\S+/ },
  { weight: 100, pattern: /\berror while loading shared libraries\b|\bcannot open shared object file\b/ },
  {
    weight: 100,
    pattern:
      /\bNo package '[^']+' found\b|\bPackage '[^']+'.* not found\b|\bPackage \S+ was not found in the pkg-config\b/,
  },
  { weight: 100, pattern: /\bUnable to locate package\b|\bhas no installation candidate\b/ },
  { weight: 100, pattern: /^(?:Cannot find module|Error: Cannot find module|Module not found: )/ },
  {
    weight: 100,
    pattern: /\bcannot find package\b|\bno required module provides package\b|\bis not in (?:std|GOROOT)\b/,
  },
  { weight: 100, pattern: /\bImproperlyConfigured\b/ },
  // What does not fit together.
  { weight: 100, pattern: /\bexternally-managed-environment\b/ },
  { weight: 100, pattern: /\bCould not find a version that satisfies\b/ },
  { weight: 90, pattern: /\bNo matching distribution found\b/ },
  {
    weight: 100,
    pattern: /\bResolutionImpossible\b|\bCannot install .+ because these package versions have conflicting/,
  },
  { weight: 100, pattern: /\brequires a different Python\b|\bRequires-Python\b.*\bnot\b|\brequires python\b/i },
  { weight: 100, pattern: /\bERESOLVE\b|\bEBADENGINE\b|\bUnsupported engine\b/ },
  {
    weight: 100,
    pattern:
      /\brequires go ?>= ?\d|\brequires rustc \d|\brust version .+ (?:is not supported|required)|\bedition20\d\d\b.*\brequired/i,
  },
  { weight: 100, pattern: /\bthis version of Cargo is older than\b/ },
  { weight: 100, pattern: /\bunrecognized arguments?:/ },
  { weight: 95, pattern: /\bimport file mismatch\b|\bwhich is not the same as the test file\b/ },
  {
    weight: 100,
    pattern:
      /\bUnsupportedClassVersionError\b|\binvalid (?:target|source) release\b|\brelease version \d+ not supported\b/,
  },
  // What the machine refuses.
  { weight: 100, pattern: /\bConnection refused\b|\bECONNREFUSED\b|\bConnectionRefusedError\b/i },
  { weight: 100, pattern: /\bconnection to server (?:on socket|at)\b.*\bfailed\b/ },
  {
    weight: 100,
    pattern:
      /\bCould not resolve host\b|\bTemporary failure (?:in name resolution|resolving)\b|\bEAI_AGAIN\b|\bENOTFOUND\b|\bno such host\b/,
  },
  {
    weight: 100,
    pattern: /\bCERTIFICATE_VERIFY_FAILED\b|\bcertificate (?:verify failed|signed by unknown authority)\b/,
  },
  {
    weight: 100,
    pattern:
      /\bNo space left on device\b|\bCannot allocate memory\b|\bout of memory\b|\bJavaScript heap out of memory\b|\bOutOfMemoryError\b/i,
  },
  { weight: 95, pattern: /\bPermission denied\b|\bEACCES\b|\bOperation not permitted\b/ },
  {
    weight: 95,
    pattern: /\bCould not get lock\b|\bdpkg was interrupted\b|\bUnmet dependencies\b|\bunmet dependencies\b/,
  },
  // What compilers and builders say.
  { weight: 90, pattern: /^error\[E\d{4}\]:/ },
  { weight: 90, pattern: /\bundefined reference to\b/ },
  { weight: 90, pattern: /^(?:\S+:\d+(?::\d+)?: )(?:fatal )?error:/ },
  { weight: 90, pattern: /\.java:\[\d+,\d+\]/ },
  { weight: 90, pattern: /^\.?\/?[\w./-]+\.go:\d+:\d+: / },
  { weight: 90, pattern: /^\S+\.tsx?[(:]\d+[,:]\d+\)?:? (?:- )?error TS\d+/ },
  { weight: 85, pattern: /\bCMake Error\b|\bCould NOT find\b|\bmeson\.build:\d+:\d+: ERROR:/ },
  {
    weight: 85,
    pattern: /\bCould not resolve dependencies\b|\bCould not find artifact\b|\bCould not transfer artifact\b/,
  },
  { weight: 85, pattern: /^make(?:\[\d+\])?: \*\*\* No rule to make target\b|^make: \*\*\* No targets\b/ },
  { weight: 60, pattern: /\bFailed to execute goal\b/ },
  // Exceptions and plain complaints.
  {
    weight: 70,
    pattern: /^(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Failure|Exit|Interrupt|Warning|NotFound)(?::|$)/,
  },
  { weight: 70, pattern: /^Exception in thread\b|^panic:|^thread '.*' panicked\b/ },
  { weight: 65, pattern: /^Error: .+\.$|^error: .+|^fatal: .+|^E: .+|^configure: error: .+/ },
  { weight: 60, pattern: /^(?:ERROR|Error|FATAL|FAILED|Failed)\b:? .+/ },
  { weight: 60, pattern: /^[\w./ -]{1,60}: (?:error|fatal)\b:? .+/i },
  { weight: 50, pattern: /^missing script: |^Missing script: |^404 Not Found\b|^ENOENT\b/i },
  { weight: 40, pattern: /^(?:not ok \d+|--- FAIL: |FAIL: |ERROR: )/ },
  { weight: 30, pattern: /^(?:Killed|Terminated|Segmentation fault|Aborted|Bus error)\b/ },
];
