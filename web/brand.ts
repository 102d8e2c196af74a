/** What the operator calls the dashboard; the service writes it into the document (pages/documents.ts). */
const given: DOMStringMap | undefined = globalThis.document?.documentElement.dataset;

export const BRAND_NAME = given?.["brand"] ?? "Bellwire";

/** An address relative to the document's base; `null` for our own mark. */
export const BRAND_LOGO = given?.["logo"] === undefined ? null : "./brand-logo";
