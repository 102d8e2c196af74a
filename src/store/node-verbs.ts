/** The part of the store's contract by which nodes that share a store hear of what people changed on another one. */
export interface NodeVerbs {
  /** `config_version` of each account that exists. A change that was answered before the call is in the answer. */
  loadConfigVersions(params: { readonly accountIds: readonly string[] }): Promise<readonly ConfigVersion[]>;
}

export interface ConfigVersion {
  readonly accountId: string;
  readonly configVersion: number;
}
