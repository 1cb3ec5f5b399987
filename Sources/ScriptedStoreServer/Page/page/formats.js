// Formats: dates and numbers as texts, in the language of the browser.

const formats = (() => {
  const secondsIn = {second: 1, minute: 60, hour: 3600, day: 86400, month: 2629800, year: 31557600};
  const byteUnits = ["", "kilo", "mega", "giga", "tera", "peta"];

  function date({value, style}) {
    if (typeof value != "string") return "";
    const isDay = /^\d+-\d+-\d+$/.test(value);
    const date = new Date(isDay ? value + "T00:00" : value);
    if (isNaN(date)) return value;
    if (style == "relative") return relative((date - Date.now()) / 1000);
    return date.toLocaleString([], {
      dateStyle: style == "time" && !isDay ? undefined : "medium",
      timeStyle: style == "date" || isDay ? undefined : "short",
    });
  }

  function relative(seconds) {
    let unit = "second";
    const rounded = () => Math.round(seconds / secondsIn[unit]);
    // The rounded amount decides: 3,599 seconds are an hour.
    for (const [larger, size] of Object.entries(secondsIn)) {
      if (Math.abs(rounded() * secondsIn[unit]) >= size) unit = larger;
    }
    return new Intl.RelativeTimeFormat([], {numeric: "auto"}).format(rounded(), unit);
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
