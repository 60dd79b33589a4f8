/**
 * The workflows, on schemas that all of them share. Each workflow would evaluate the contract anew: as many milliseconds as a
 * dozen turns take at the server, and megabytes for as long as it is cached. Temporal shares what is loaded while no workflow
 * is there, so there is none for a moment. Sound because the contract remembers nothing of who uses it; `preloadModules` of
 * the SDK does the same, but freezes, and zod's schemas compile themselves when they are first used.
 */
const scope = globalThis as { __TEMPORAL_ACTIVATOR__?: unknown };
const workflow = scope.__TEMPORAL_ACTIVATOR__;
scope.__TEMPORAL_ACTIVATOR__ = undefined;
try {
  require('../contract');
} finally {
  scope.__TEMPORAL_ACTIVATOR__ = workflow;
}

module.exports = require('./index');
