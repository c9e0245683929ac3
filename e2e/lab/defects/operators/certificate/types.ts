import { type Condition, type CustomResource, defineKind, type int32, type int64 } from "@tsbuilder/runtime";

export interface CertificateSpec {
  /**
   * +kubebuilder:validation:Pattern=`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`
   * +kubebuilder:validation:MaxLength=100
   */
  dnsName: string;
  /**
   * +kubebuilder:validation:Minimum=2
   * +kubebuilder:validation:Maximum=90
   * +kubebuilder:default=30
   */
  days?: int32;
}

export interface CertificateStatus {
  observedGeneration?: int64;
  /** The order at the authority that is under way. */
  order?: string;
  serial?: string;
  notAfter?: string;
  conditions?: Condition[];
}

/**
 * Certificate is a certificate of an authority that is reached by HTTP, in a Secret that is renewed in time.
 * +kubebuilder:subresource:status
 */
export interface Certificate extends CustomResource<CertificateSpec, CertificateStatus> {}
export const Certificate = defineKind<Certificate>(
  { group: "pki.example.com", version: "v1" },
  { kind: "Certificate", plural: "certificates" },
);
