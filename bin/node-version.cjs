/** The oldest Node.js that runs us, as package.json says it. Asked before anything newer is read. */
const { engines } = require('../package.json');

const wanted = engines.node.replace('>=', '');
const [major, minor] = wanted.split('.').map(Number);
const [has, hasMinor] = process.versions.node.split('.').map(Number);
if (has < major || (has === major && hasMinor < minor)) {
  console.error(`✖ Node.js ${process.version} is too old\n  Install Node.js 22 or later (${wanted} at least), with npm.`);
  process.exit(1);
}
