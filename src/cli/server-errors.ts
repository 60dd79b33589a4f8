import {
  isGrpcServiceError,
  QueryRejectedError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { PointsmanError } from '../contract';
import { fromWorkflow } from './wait';

const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;

/** What the system refused, by its code: what it was, and what to do. */
const REFUSED: Readonly<Record<string, readonly [string, string]>> = {
  ENOSPC: [
    'the disk is full',
    'Free some of it (docs/operations.md says what may go), or set POINTSMAN_HOME to a folder on another disk.',
  ],
  EDQUOT: ['the disk quota is used up', 'Free some of it, or set POINTSMAN_HOME to a folder elsewhere.'],
  EROFS: ['the file system is read-only', 'Set POINTSMAN_HOME to a folder that may be written.'],
  EACCES: ['this account may not use it', 'Give it the rights, or take another path or a port above 1023.'],
  EADDRINUSE: ['the port is taken', 'Take another one; 0 takes a free one.'],
  EMFILE: ['too many files are open', 'Raise the limit: `ulimit -n 65536`.'],
};

/** A refusal of the system in words, with the path or port that it is about. Anything else is given back as it is. */
function ofSystem(error: unknown): unknown {
  const { code = '', path, address, port } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  const refused = error instanceof Error ? REFUSED[code] : undefined;
  if (!refused) return error;
  const what = path ?? (port === undefined ? undefined : `${address ?? 'port'}:${port}`);
  return new PointsmanError('Unavailable', `${refused[0]}${what ? `: ${what}` : ''}`, refused[1]);
}

/** What the Temporal client threw, in words that say what to do next. Anything else is given back as it is. */
export function explain(error: unknown): unknown {
  if (error instanceof WorkflowFailedError) return fromWorkflow(error);
  if (error instanceof WorkflowUpdateFailedError) {
    const cause = error.cause instanceof Error ? error.cause : error;
    return new PointsmanError('InvalidInput', cause.message);
  }
  if (error instanceof WorkflowNotFoundError) return notFound(error.workflowId, error.message);
  if (error instanceof QueryRejectedError) return new PointsmanError('Unavailable', error.message);
  const service = serviceError(error);
  if (!service) return ofSystem(error);
  if (service.code === NOT_FOUND) return notFound(undefined, service.details);
  if (service.code === DEADLINE_EXCEEDED) {
    return new PointsmanError(
      'Unavailable',
      'no worker answered in time',
      '`pointsman status` shows whether one runs; `pointsman up` starts one.',
    );
  }
  return new PointsmanError('Unavailable', `the Temporal server says: ${service.details || service.message}`);
}

function notFound(id: string | undefined, message: string): PointsmanError {
  const done = /already completed/.test(message);
  return new PointsmanError(
    'NotFound',
    done ? 'the workflow has ended already' : `no workflow ${id ? `"${id}"` : 'of that id'} on this server`,
    done
      ? '`pointsman rollout show ID` and `setup show ID` show how it ended.'
      : '`pointsman rollout list` and `setup list` show those there are.',
  );
}

function serviceError(error: unknown): { code: number; details: string; message: string } | undefined {
  if (isGrpcServiceError(error)) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  return isGrpcServiceError(cause) ? cause : undefined;
}
