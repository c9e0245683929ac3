import { TerminalError } from "../errors/terminal-error.ts";
import type { ClusterConfig } from "../http/config.ts";
import type { MemberCluster } from "./cluster.ts";

/** Makes a cluster, which calls `onRemoved` at its end. */
type Make = (
  name: string,
  config: ClusterConfig | (() => Promise<ClusterConfig>),
  onRemoved: () => void,
) => MemberCluster;

/** The clusters besides the manager's own, by name. */
export class ClusterSet {
  readonly #make: Make;
  readonly all = new Map<string, MemberCluster>();

  constructor(make: Make) {
    this.#make = make;
  }

  add(name: string, config: ClusterConfig | (() => Promise<ClusterConfig>)): MemberCluster {
    if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name))
      throw new TerminalError(`a cluster is named "${name}": use lower case letters, digits, "-" and "."`);
    if (this.all.has(name))
      throw new TerminalError(`there is a cluster "${name}" already: remove it first, or use another name`);
    const cluster = this.#make(name, config, () => this.all.delete(name));
    this.all.set(name, cluster);
    return cluster;
  }

  async removeAll(): Promise<void> {
    await Promise.all([...this.all.values()].map((cluster) => cluster.remove()));
  }
}
