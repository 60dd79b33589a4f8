import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Messages and stack traces of failures as a payload, so that they are encrypted too. Temporal loads this file by its path,
 * for the worker and into the code of workflows, where payloads are encrypted.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
