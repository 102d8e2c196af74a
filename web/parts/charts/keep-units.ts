/** A sentence in which no line ends between a figure and its unit. Pure. */
export const keepUnits = (sentence: string): string =>
  sentence.replaceAll(/(\d) (?=(?:%|ms|s|min|h|days?)(?:\W|$))/g, "$1\u00a0");
