// Formats: dates and numbers as texts, in the language of the browser.

const formats = (() => {
  const secondsIn = {year: 31557600, month: 2629800, day: 86400, hour: 3600, minute: 60, second: 1};
  const byteUnits = ["", "kilo", "mega", "giga", "tera", "peta"];

  function date({value, style}) {
    if (typeof value != "string") return "";
    const isDay = /^\d+-\d+-\d+$/.test(value);
    const date = new Date(isDay ? value + "T00:00" : value);
    if (isNaN(date)) return value;
    if (style == "relative") return relative((date - Date.now()) / 1000);
    return date.toLocaleString([], {
      dateStyle: style == "time" ? undefined : "medium",
      timeStyle: style == "date" || isDay ? undefined : "short",
    });
  }

  function relative(seconds) {
    const fits = ([, size]) => Math.abs(seconds) >= size;
    const [unit, size] = Object.entries(secondsIn).find(fits) ?? ["second", 1];
    const format = new Intl.RelativeTimeFormat([], {numeric: "auto"});
    return format.format(Math.round(seconds / size), unit);
  }

  function number({value, style, digits, currency}) {
    const options = {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits ?? (style == "percent" ? 0 : 15),
    };
    if (style == "percent") options.style = style;
    if (style == "currency" && /^[a-z]{3}$/i.test(currency)) {
      Object.assign(options, {style, currency, maximumFractionDigits: digits});
    }
    if (style == "bytes") {
      const thousands = Math.floor(Math.log10(Math.abs(value) || 1) / 3);
      const power = Math.min(Math.max(thousands, 0), byteUnits.length - 1);
      value /= 1000 ** power;
      options.style = "unit";
      options.unit = byteUnits[power] + "byte";
      options.maximumFractionDigits = digits ?? (power && 1);
    }
    return typeof value == "number" ? value.toLocaleString([], options) : value ?? "";
  }

  return {date, number};
})();
