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
      // The rounded amount decides: 999,950 bytes are 1 MB.
      const places = () => digits ?? (power && 1);
      const rounded = () => Math.round(Math.abs(value) * 10 ** places()) / 10 ** places();
      let power = 0;
      for (; power < byteUnits.length - 1 && rounded() >= 1000; power++) value /= 1000;
      options.style = "unit";
      options.unit = byteUnits[power] + "byte";
      options.maximumFractionDigits = places();
    }
    return typeof value == "number" ? value.toLocaleString([], options) : value ?? "";
  }

  return {date, number};
})();
