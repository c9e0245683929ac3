import { type Condition, type CustomResource, defineKind, type int32, type int64 } from "@tsbuilder/runtime";

export interface QuorumSpec {
  /**
   * How many servers there are: an odd number, so that there is a majority.
   * +kubebuilder:validation:Enum=1;3;5
   * +kubebuilder:default=3
   */
  size?: int32;
  /**
   * +kubebuilder:validation:Pattern=`^v[0-9]+\.[0-9]+\.[0-9]+$`
   * +kubebuilder:validation:MaxLength=20
   */
  version: string;
  /**
   * The memory of each server.
   * +kubebuilder:validation:Pattern=`^[1-9][0-9]{0,3}(Mi|Gi)$`
   * +kubebuilder:default="256Mi"
   */
  memory?: string;
}

export interface QuorumStatus {
  observedGeneration?: int64;
  /** How many members the servers know. */
  members?: int32;
  /** The version that all servers have. */
  version?: string;
  conditions?: Condition[];
}

/**
 * Quorum is a store on several servers, which agree by majority.
 * +kubebuilder:subresource:status
 * +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40 && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be a valid Service name of at most 40 characters"
 */
export interface Quorum extends CustomResource<QuorumSpec, QuorumStatus> {}
export const Quorum = defineKind<Quorum>(
  { group: "quorum.example.com", version: "v1" },
  { kind: "Quorum", plural: "quorums" },
);
