// The weights of a configuration, as they are and as they are set.
import { $ } from "./make.js";

export function setWeight(name, value, isSet) {
  const slider = $(name);
  if (isSet) slider.dataset.set = "yes";
  else delete slider.dataset.set;
  if (value !== null) {
    slider.max = Math.max(10, Math.ceil(value));
    slider.min = Math.min(0, Math.floor(value));
    slider.value = value;
  }
  $(`${name}_value`).value = value === null ? "as configured" : isSet ? String(value) : `${value}, as configured`;
}

export const weight = (name) => ($(name).dataset.set ? Number($(name).value) : null);

export function chooseConfig(name) {
  const config = $("config");
  if (![...config.options].some((option) => option.value === name)) config.add(new Option(name));
  config.value = name;
}
