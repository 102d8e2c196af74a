/** Why a record cannot become an event. It goes to the dead letters with this. */
export interface Fault {
  /** Intake's code (docs: the calls' problems), or one of the bridge's own. */
  readonly code: string;
  /** One or two sentences for a person, without secrets. */
  readonly detail: string;
}
