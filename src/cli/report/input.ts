import { resolve } from 'node:path';
import { DatasetManifest, type DatasetResult, PointsmanError, parseInput, ReportInput } from '../../contract';
import { uiBeside } from '../../machine/local-services';
import type { Cli } from '../context';
import { given, type Written } from '../input-file';

/** Flags that stand over what the input file says. */
export interface ReportFlags {
  readonly name?: string;
  readonly title?: string;
  readonly campaign?: readonly string[];
  readonly rollouts?: readonly string[];
  readonly dataset?: string;
  readonly shift?: string;
  readonly failures?: string;
  readonly setup?: readonly string[];
  readonly builds?: readonly string[];
  readonly viewer?: string;
  readonly scripted?: boolean;
}

/**
 * File and flags put together and checked. The address of the Temporal UI is filled in where it is known. Throws
 * `InvalidInput` that names each wrong field.
 */
export async function reportInput(cli: Cli, written: Written, flags: ReportFlags): Promise<Written> {
  const { campaign, rollouts, dataset, shift, failures, setup, builds, viewer, ...plain } = flags;
  const fields = {
    ...plain,
    campaigns: campaign,
    // The worker runs in another folder, so a path is handed to it in full.
    rollouts: rollouts?.map((path) => ({ rollouts: resolve(path) })),
    dataset: dataset === undefined ? undefined : await datasetOf(cli, dataset),
    covariateShift: shift,
    failureAnalysis: failures,
    setups: setup,
    problems: builds,
  };
  const merged: Written = { ...written, ...given(fields) };
  merged.name ??= nameFrom(merged);
  merged.links = { ...(await linksOf(cli)), ...(merged.links as object), viewer };
  parseInput<unknown>(ReportInput, merged, 'report');
  return merged;
}

/** A data set by its folder here, which outlives the server's memory; any other word is a workflow id. */
async function datasetOf(cli: Cli, named: string): Promise<string | DatasetResult> {
  const { results } = cli.stores;
  const manifest = await results.read('datasets', named, 'manifest.json');
  if (!manifest) return named;
  const folder = results.addressOf('datasets', named);
  const { name, result } = parseInput(DatasetManifest, JSON.parse(manifest.toString('utf8')), folder);
  const kept = async (path: string) => cli.blobs.put((await results.read('datasets', named, path)) ?? '');
  return {
    ...result,
    id: `dataset/${name}`,
    folder,
    dropped: await kept('dropped.jsonl'),
    card: await kept('README.md'),
  };
}

/** The Temporal UI of the server that is talked to, where it has one. */
export async function linksOf(cli: Cli): Promise<{ temporalUi?: string }> {
  const [client, local] = [await cli.client(), await cli.local()];
  const ui = local.ui ?? (await uiBeside(local.address));
  return ui ? { temporalUi: `${ui}/namespaces/${client.options.namespace}` } : {};
}

/** After what it is about; throws where that says nothing. */
function nameFrom({ dataset, campaigns }: Written): string {
  const [about] = [dataset, ...((campaigns as unknown[] | undefined) ?? [])].filter((each) => each !== undefined);
  const id = typeof about === 'string' ? about : (about as { id?: string } | undefined)?.id;
  const name = id?.split('/').at(-1)?.toLowerCase();
  if (name && /^[a-z0-9][a-z0-9._-]{0,80}$/.test(name)) return name;
  throw new PointsmanError('InvalidInput', 'report: name: a name is needed (found nothing)', 'Give --name.');
}
