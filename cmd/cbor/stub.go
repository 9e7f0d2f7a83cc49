package main
var jsonCommand, checkCommand, annotateCommand = &command{name:"json",start:func(*run) handler{return nil}}, &command{name:"check"}, &command{name:"annotate"}
