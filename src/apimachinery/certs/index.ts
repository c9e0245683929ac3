export {
  type CertificateDescription,
  type CertificateOptions,
  type CertificateWithKey,
  certify,
  createCA,
  describeCertificate,
  issueCertificate,
  renewalTime,
  splitBundle,
  type Validity,
} from "./certificate.ts";
export { type CertificateRequest, parseCertificateRequest, signCertificateRequest } from "./certificate.ts";
export type { Usage } from "./certificate.ts";
export type { AlternativeNames, Subject } from "./certificate.ts";
