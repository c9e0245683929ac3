import { type Condition, type CustomResource, defineKind, type int32, type int64 } from "@tsbuilder/runtime";

export interface EnsembleStorage {
  /**
   * Size of a member's volume.
   * +kubebuilder:validation:Pattern=`^[1-9][0-9]{0,3}(Mi|Gi)$`
   * +kubebuilder:default="1Gi"
   */
  size?: string;
  /**
   * The fate of the claim of a member that is removed, and of all claims when the ensemble is deleted. It holds for
   * the claims that are made under it.
   * +kubebuilder:default=Retain
   */
  reclaim?: "Retain" | "Delete";
}

export interface EnsembleSpec {
  /**
   * How many members there are.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=7
   * +kubebuilder:default=3
   */
  replicas?: int32;
  /**
   * +kubebuilder:validation:Pattern=`^[a-z0-9][a-z0-9./-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?$`
   * +kubebuilder:validation:MaxLength=200
   * +kubebuilder:default="zookeeper:3.9"
   */
  image?: string;
  /**
   * Lines of zoo.cfg, such as `maxClientCnxns: "60"`. A change restarts the members.
   * +kubebuilder:validation:MaxProperties=16
   */
  settings?: Record<string, string>;
  /**
   * +kubebuilder:default={}
   * +kubebuilder:validation:XValidation:rule="self == oldSelf",message="the storage of an ensemble can't be changed"
   */
  storage?: EnsembleStorage;
}

export interface EnsembleStatus {
  observedGeneration?: int64;
  /** How many members the ensemble was told to have. What is beyond was removed. */
  members?: int32;
  readyMembers?: int32;
  conditions?: Condition[];
}

/**
 * Ensemble is a group of ZooKeeper servers, each with a volume, that clients reach by one Service.
 * +kubebuilder:subresource:status
 */
export interface Ensemble extends CustomResource<EnsembleSpec, EnsembleStatus> {}
export const Ensemble = defineKind<Ensemble>(
  { group: "coordination.example.com", version: "v1" },
  { kind: "Ensemble", plural: "ensembles" },
);
