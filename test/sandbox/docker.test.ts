import { DockerSandboxes } from '../../src/sandbox/docker/sandboxes';
import { tinyProblem } from '../support/tiny-problem';
import { sandboxConformance } from './conformance';

describe('sandboxes of a Docker engine', () => {
  sandboxConformance((scope) => new DockerSandboxes(scope), tinyProblem);
});
