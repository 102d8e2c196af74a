/** A setting of the service: `bellwire doctor` prints its value. */
import type { Option } from "../lib/settings/option.ts";

interface ShownOption<Value> extends Option<Value> {
  /** How the value is printed. A secret setting prints how many values it has, and never the values. */
  readonly show: (value: Value) => string;
}

/** A table of settings. Its fields have the types that their rows parse. */
export const defineOptions = <Values extends object>(options: {
  readonly [Field in keyof Values]: ShownOption<Values[Field]>;
}) => options;
