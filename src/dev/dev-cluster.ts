import type { Client } from "@tsbuilder/runtime";

/** A cluster that a session works on. */
export interface DevCluster {
  readonly url: string;
  /** A kubeconfig for kubectl, in the project's own folder. */
  readonly kubeconfig: string;
  /** What dev itself does there. */
  readonly client: Client;
  /** Where the operator's ServiceAccount lives. */
  readonly namespace: string;
  /** Stands before the names of what the operator needs: others may have such things there, too. */
  readonly prefix: string;
  /** Where samples go that name no namespace. */
  readonly sampleNamespace: string;
  /** It is there after the session, so what points at this machine must not be. */
  readonly outlives: boolean;
  /** A kubeconfig that may do what a ServiceAccount of the namespace may, and no more. */
  actAs(serviceAccount: string): Promise<string>;
  stop(): Promise<void>;
}
