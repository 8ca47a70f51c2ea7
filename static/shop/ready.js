// Says that scripts run, so that the style sheet can hide what a script will show later.
document.documentElement.classList.add("js");
