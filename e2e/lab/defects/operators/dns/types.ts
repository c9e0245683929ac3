import { type Condition, type CustomResource, defineKind, type int32, type int64 } from "@tsbuilder/runtime";

export interface HostRecordSpec {
  /**
   * The name that is resolved. If several HostRecords have the same, the oldest one holds it.
   * +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`
   * +kubebuilder:validation:MaxLength=100
   */
  host: string;
  /**
   * The IPv4 addresses of the host, in any order.
   * +kubebuilder:validation:MinItems=1
   * +kubebuilder:validation:MaxItems=8
   * +kubebuilder:validation:items:Format=ipv4
   * +listType=set
   */
  addresses: string[];
  /**
   * How long resolvers keep the answer.
   * +kubebuilder:validation:Minimum=60
   * +kubebuilder:validation:Maximum=86400
   * +kubebuilder:default=300
   */
  ttlSeconds?: int32;
}

export interface HostRecordStatus {
  observedGeneration?: int64;
  /** The HostRecord that holds the host, as NAMESPACE/NAME. */
  holder?: string;
  conditions?: Condition[];
}

/**
 * HostRecord is a record at a DNS provider that is reached by HTTP.
 * +kubebuilder:subresource:status
 */
export interface HostRecord extends CustomResource<HostRecordSpec, HostRecordStatus> {}
export const HostRecord = defineKind<HostRecord>(
  { group: "dns.example.com", version: "v1" },
  { kind: "HostRecord", plural: "hostrecords" },
);
