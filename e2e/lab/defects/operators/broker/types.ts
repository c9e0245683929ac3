import { type Condition, type CustomResource, defineKind, type int32, type int64 } from "@tsbuilder/runtime";

export interface BrokerSpec {
  /**
   * Where the API of the broker is.
   * +kubebuilder:validation:Pattern=`^https?://[a-z0-9.:-]+$`
   * +kubebuilder:validation:MaxLength=200
   */
  url: string;
  /** Name of the Secret whose `token` the API accepts. */
  tokenSecret: string;
}

/** Broker is a message broker, which runs elsewhere. Who deletes it gives up its topics. */
export interface Broker extends CustomResource<BrokerSpec> {}
export const Broker = defineKind<Broker>(
  { group: "messaging.example.com", version: "v1" },
  { kind: "Broker", plural: "brokers" },
);

export interface TopicSpec {
  /**
   * Name of the Broker, in the same namespace.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=253
   * +kubebuilder:validation:XValidation:rule="self == oldSelf",message="a topic can't move to another broker"
   */
  broker: string;
  /**
   * Number of partitions. A topic that was retained may have more.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=64
   * +kubebuilder:validation:XValidation:rule="self >= oldSelf",message="partitions can't be removed"
   */
  partitions: int32;
  /**
   * Hours after which messages are deleted. Never, if it isn't set.
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=8760
   */
  retentionHours?: int32;
  /**
   * The fate of the topic and its messages when the object is deleted. A topic that is retained belongs to the next
   * object of its name.
   * +kubebuilder:default=Delete
   */
  deletionPolicy?: "Delete" | "Retain";
}

export interface TopicStatus {
  observedGeneration?: int64;
  /** Name of the topic on the broker. */
  topic?: string;
  partitions?: int32;
  conditions?: Condition[];
}

/**
 * Topic is a topic of a message broker that is reached by HTTP.
 * +kubebuilder:subresource:status
 * +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 180",message="metadata.name must have at most 180 characters"
 */
export interface Topic extends CustomResource<TopicSpec, TopicStatus> {}
export const Topic = defineKind<Topic>(
  { group: "messaging.example.com", version: "v1" },
  { kind: "Topic", plural: "topics" },
);
