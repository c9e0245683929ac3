export type {
  CRDConversion,
  CRDNames,
  CRDSpec,
  CRDStatus,
  CRDVersion,
  PrinterColumn,
} from "./custom-resource-definition.ts";
export { defaultNames } from "./default-names.ts";
export { type CheckConversion, nameProblems, validateCRD } from "./validate-crd.ts";
