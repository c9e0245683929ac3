export {
  type CheckConversion,
  type CRDConversion,
  type CRDNames,
  type CRDSpec,
  type CRDStatus,
  type CRDVersion,
  defaultNames,
  nameProblems,
  type PrinterColumn,
  validateCRD,
} from "./custom-resource-definition.ts";
