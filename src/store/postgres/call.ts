/** Calls as this store takes them: params are those of the contract, save that attempts travel as ready columns. */
import type { Call as CallOf, PackedSettlement as Packed, VerbParams as ParamsOf } from "../calls.ts";
import type { VerbName } from "../contract/verbs.ts";
import type { AttemptColumns } from "./attempts.ts";

export type PackedSettlement = Packed<AttemptColumns>;

export type VerbParams<Name extends VerbName> = ParamsOf<Name, AttemptColumns>;

export type Call = CallOf<AttemptColumns>;
