/**
 * Licence headers, style, versions: no part of whether a project builds and passes its tests. A released archive often lacks
 * the files that such checks want. Maven takes properties of plugins that a project does not have.
 */
export const WITHOUT_CHECKS =
  '-Drat.skip -Dcheckstyle.skip -Denforcer.skip -Dpmd.skip -Dcpd.skip -Dspotbugs.skip -Djapicmp.skip -Danimal.sniffer.skip -Dlicense.skip -Dspotless.check.skip';
