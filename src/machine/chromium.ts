import { canInstallPackages, installPackages, isExecutable, onPath, type Provided, type Report } from './command';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const HINT = 'Install Chromium or Chrome (Debian: apt-get install chromium), or name one in CHROME.';

/** A browser that is installed here; `CHROME` names one elsewhere. */
export function chromiumBinary(): string | undefined {
  const named = process.env.CHROME;
  if (named) return isExecutable(named) ? named : undefined;
  return NAMES.flatMap(onPath)[0];
}

/**
 * The browser that pages are tested in. Without one, as root on Debian, installs its `chromium`. A machine that cannot have
 * one tests everything else, and this says so.
 */
export async function ensureChromium(report: Report): Promise<Provided> {
  const installed = chromiumBinary();
  if (installed) return provided(installed, false);
  if (canInstallPackages()) {
    await installPackages(['chromium', 'fonts-dejavu-core'], report, HINT).catch((error: Error) =>
      report(`it could not be installed: ${error.message}`),
    );
  }
  const made = chromiumBinary();
  if (made) return provided(made, true);
  report(`there is none. ${HINT}`);
  return provided('none: tests of pages are skipped', false);
}

function provided(found: string, made: boolean): Provided {
  return { what: 'Chromium', found, made };
}
