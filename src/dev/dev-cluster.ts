import type { Client } from "@tsbuilder/runtime";

/** The cluster of a session. */
export interface DevCluster {
  readonly url: string;
  /** A kubeconfig for kubectl, in the project's folder. */
  readonly kubeconfig: string;
  /** The client of dev itself. */
  readonly client: Client;
  /** The namespace of the operator's ServiceAccount. */
  readonly namespace: string;
  /** Prefix for the names of the operator's objects: others may have objects of the same name there. */
  readonly prefix: string;
  /** The namespace for samples that set none. */
  readonly sampleNamespace: string;
  /** Whether it outlives the session; then nothing may keep pointing at this machine. */
  readonly outlives: boolean;
  /** A kubeconfig with exactly the permissions of a ServiceAccount in the namespace. */
  actAs(serviceAccount: string): Promise<string>;
  stop(): Promise<void>;
}
