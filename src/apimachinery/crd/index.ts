export {
  type CRDConversion,
  type CRDNames,
  type CRDSpec,
  type CRDStatus,
  type CRDVersion,
  defaultNames,
  type PrinterColumn,
} from "./custom-resource-definition.ts";
export { type CheckConversion, nameProblems, validateCRD } from "./custom-resource-definition.ts";
