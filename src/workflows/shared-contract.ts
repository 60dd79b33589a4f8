/**
 * The workflows, with one contract for all of them. Each would evaluate its schemas for itself: a tenth of a second, and some
 * megabytes for as long as it is cached (ADR 36). The SDK shares what is loaded while no workflow is there, so for a moment
 * there is none. This is sound because the contract remembers nothing of who uses it. The SDK's `preloadModules` does the
 * same, but freezes: zod's schemas complete themselves when they are first used.
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
