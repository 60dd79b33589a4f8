/** Outside of the work directory, so that neither tests nor packaging find it there. */
export const VENV = '/venv';

/** pip cannot tell one package's day from another's, nor take one against what another says; this program can. */
export const UV = '/opt/uv/bin/uv';
export const BRING_UV = `{ [ -x ${UV} ] || { python3 -m venv /opt/uv && /opt/uv/bin/python -m pip install -q uv; }; }`;

/** The same words as pip's, from the index that pip is told of. */
export function uvInstall(what: string): string {
  return `VIRTUAL_ENV=${VENV} ${UV} pip install -q \${PIP_INDEX_URL:+--default-index "$PIP_INDEX_URL"} ${what}`;
}
