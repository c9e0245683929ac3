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
export {
  type CertificateRequest,
  parseCertificateRequest,
  signCertificateRequest,
} from "./certificate-request.ts";
export type { Usage } from "./extensions.ts";
export type { AlternativeNames, Subject } from "./names.ts";
