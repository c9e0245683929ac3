/** Values as users write them, drawn from a schema by a seed. Begin with `draw-value.ts`; the other files are its parts. */

export { Random } from "./random.ts";
export {
  type Drawing,
  drawValue,
  type FieldName,
  fieldBelow,
  lastName,
  numbered,
  rangeOf,
} from "./draw-value.ts";
export { narrow } from "./narrow.ts";
export { shrinkValue } from "./shrink-value.ts";
export { typicalKeys } from "./typical-values.ts";
