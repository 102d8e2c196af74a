/** A sign-in link's person and frame. Written by `npm run docs` from src/intake/dashboard-links.ts. */
/** Whom the link is for. */
export interface LinkFor {
  /** Whom the link signs in, as the dashboard names them. "Account owner" when left out. */
  readonly person?: string | undefined;
  /**
   * `owner` may do everything; `viewer` sees, but changes, tests, resends and reveals nothing. `owner` when left out.
   */
  readonly role?: "owner" | "viewer" | undefined;
  /**
   * The link opens this page alone, or with tabs, for a frame in the product's own. In a frame it signs in without a
   * click. The link is as good as any other: it gives the person's rights, not the page's.
   */
  readonly embed?: {
    /** Path of the page; those below it can be reached from there. */
    readonly page: string;
    /** Pages that the frame shows as tabs, in this order. */
    readonly tabs?: readonly ("/" | "/audience/sessions" | "/audience/events" | "/people" | "/assistants" |
        "/deliveries" | "/incidents" | "/events" | "/playground" | "/settings/alerts" | "/settings/webhooks" |
        "/settings/verification" | "/settings/activity" | "/settings/account")[] | undefined;
    /** The reader's own system decides when left out. */
    readonly theme?: "light" | "dark" | undefined;
    /** What makes the frame look like its product. */
    readonly look?: {
      /** Behind everything: your own page's. */
      readonly background?: string | undefined;
      /** Of cards, lists and fields. */
      readonly surface?: string | undefined;
      /** Has to have a contrast of 4.5 on background and surface; quieter text is made of it. */
      readonly text?: string | undefined;
      /** Of buttons, links and what is chosen. White text has to have a contrast of 4.5 on it. */
      readonly accent?: string | undefined;
      /** Of the corners of cards, in pixels; smaller things follow. */
      readonly radius?: number | undefined;
      /** Of the fonts that the reader's system has. */
      readonly font?: "system" | "grotesque" | "humanist" | "geometric" | "rounded" | "serif" | undefined;
      /** Less room and smaller text, where there is a mouse. */
      readonly dense?: boolean | undefined;
      /** Your own page shows through; `background` says which colour that is. */
      readonly transparent?: boolean | undefined;
    } | undefined;
  } | undefined;
}
